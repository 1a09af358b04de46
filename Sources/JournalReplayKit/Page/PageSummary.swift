import JournalStore

/// What a page shows before it has read any chunk: counts, names, streams and the density of the time line.
struct PageSummary {
    let file: String?
    let options: PageOptions
    /// The names of the known machines.
    let machines: [String]
    let made = Timestamp.now()
    var omitted = 0
    /// For a live page: where its data continues, and what it may do.
    var live: JSON?
    var interventions: [(stream: Int, act: Intervention)] = []
    private(set) var stepCount = 0
    private(set) var runCount = 0
    private var stepNames = PageNames()
    private var runNames = PageNames()
    /// When an app opened the journal again.
    var restarts: [Timestamp] = []
    private var histogram = TimeHistogram()
    private var times: (first: Int64, last: Int64)?

    init(file: String?, options: PageOptions, machines: [String]) {
        (self.file, self.options, self.machines) = (file, options, machines)
    }

    mutating func add(_ steps: StepColumns) {
        (stepCount, stepNames, histogram) = (steps.count, steps.names, steps.histogram)
        times = steps.firstTime.map { ($0, steps.lastTime) }
    }

    mutating func add(_ runs: RunColumns, count: Int) {
        (runCount, runNames) = (count, runs.names)
    }

    func json(_ streams: PageStreams) -> JSON {
        func member(_ key: String, _ value: JSON) -> JSON.Member { JSON.Member(key: key, value: value) }
        return .object(
            [
                member("format", .number(1)),
                // The name alone: a path tells about the machine it was made on.
                member("file", .text(file.map { Platform.name(of: $0) } ?? "journal")),
                member("made", .number(made.microseconds)),
                member("steps", .number(stepCount)), member("omitted", .number(omitted)),
                member("runs", .number(runCount)),
                member("first", times.map { .number($0.first) } ?? .null),
                member("last", times.map { .number($0.last) } ?? .null),
                member("densityFirst", histogram.first.map { .number($0) } ?? .null),
                member("width", .number(histogram.width)),
                member("density", .list(histogram.counts.map { .number($0) })),
                member("names", names(stepNames)), member("runNames", names(runNames)),
                member("statuses", .list(EffectRun.Status.allCases.map { .text($0.rawValue) })),
                member("restarts", .list(restarts.map { .number($0.microseconds) })),
                member("isRedacted", .bool(!options.redaction.isEmpty)),
                member("tool", .text(options.tool.text)),
                member("machines", .list(machines.map { .text($0) })),
                member("wantsStates", .bool(options.states != .none)),
                member("streams", .list(streams.rows.map(PageSummary.row))),
                member("interventions", .list(interventions.map(intervention))),
            ] + (live.map { [member("live", $0)] } ?? []))
    }

    private func names(_ names: PageNames) -> JSON { PageSummary.names(names, from: 0) }

    /// The names from a number on, each with its count.
    static func names(_ names: PageNames, from first: Int) -> JSON {
        .list(zip(names.names, names.counts).dropFirst(first).map { .list([.text($0), .number($1)]) })
    }

    static func row(_ row: PageStreams.Row) -> JSON {
        .list([
            .text(row.info.name), .text(row.info.machine), .number(row.info.created.microseconds),
            .number(row.info.prunedStep), .number(row.info.headStep), .number(row.states?.lowerBound),
            .number(row.states?.upperBound), .text(row.statesNote),
        ])
    }

    private func intervention(_ number: Int, _ act: Intervention) -> JSON {
        PageSummary.intervention(number, act, options.redaction)
    }

    static func intervention(_ number: Int, _ act: Intervention, _ redaction: Redaction) -> JSON {
        .list([
            .number(number), .number(act.step), .number(act.ordinal), .text(act.act.rawValue),
            .number(act.time.microseconds), .text(act.before?.rawValue), .text(redaction.prose(act.reason)),
        ])
    }
}

/// What a page holds.
struct PageReport {
    var target = ""
    var streams: Int
    var steps: Int
    var omitted: Int
    var effects: Int
    var states: Int
    /// Why streams have no states from some step on, each with its stream.
    var problems: [(stream: String, note: String)]
    /// Whether entries of the page are not what was written, or are missing at the end of a stream.
    var isDamaged: Bool
    var bytes: Int64 = 0
    let summary: JSON
}
