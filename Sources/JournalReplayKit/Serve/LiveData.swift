import JournalStore

/// What a live page shows, as numbers, and what has changed since each revision. Texts are read from the journal when
/// they are looked at. Does no I/O.
struct LiveData: Sendable {
    /// How many steps a chunk of texts has, and how long it is at most, unless a single text is longer.
    private static let chunkSize = 512
    private static let chunkBytes = 1 << 20
    /// How many effects a chunk of texts has.
    static let runChunkSize = 64
    /// The most bytes of one answer with columns.
    private static let answerBytes = 1 << 20
    private static let answerRuns = 8_192

    private let redaction: Redaction
    private(set) var streams = PageStreams([])
    private(set) var steps = StepColumns()
    private(set) var runs = LiveRuns()
    private(set) var outcomes: [PageOutcome] = []
    private(set) var interventions: [(stream: Int, act: Intervention)] = []
    private(set) var restarts: [Timestamp] = []
    /// The columns of the steps, in the pieces in which they arrived.
    private var pieces: [(first: Int, bytes: [UInt8])] = []
    /// The position of each step in the journal.
    private var positions: [Int] = []
    /// The first step of each chunk of texts.
    private var starts: [Int] = []
    private var bytesOfChunk = 0
    private(set) var log = LiveLog()

    init(_ redaction: Redaction) {
        self.redaction = redaction
    }

    var revision: Int { log.revision }

    // MARK: Changing

    mutating func apply(_ change: LiveChange) {
        for stream in change.streams { streams.append(stream) }
        for step in change.steps { add(step) }
        if steps.waiting > 0 { pieces.append((steps.count - steps.waiting, steps.take())) }
        for (index, outcome) in change.outcomes { outcomes[index] = outcome }
        let changed = change.runs.map { runs.set($0.run, stream: $0.stream) }
        interventions += change.interventions
        restarts += change.restarts
        log.append(mark, outcomes: change.outcomes.map(\.index), runs: changed)
    }

    private mutating func add(_ step: LiveChange.Step) {
        let size = StepTexts.size(step.action, step.record)
        let start = starts.last ?? -LiveData.chunkSize
        if steps.count - start >= LiveData.chunkSize || bytesOfChunk + size > LiveData.chunkBytes {
            starts.append(steps.count)
            bytesOfChunk = 0
        }
        bytesOfChunk += size
        steps.add(step.entry, stream: step.stream, sender: step.sender, action: step.action, step.outcome)
        streams.add(step.entry.step, of: step.stream)
        outcomes.append(step.outcome)
        positions.append(step.entry.position)
    }

    private var mark: LiveLog.Mark {
        LiveLog.Mark(
            steps: steps.count, starts: starts.count, streams: streams.rows.count,
            stepNames: steps.names.names.count, runNames: runs.columns.names.names.count,
            restarts: restarts.count, interventions: interventions.count)
    }

    // MARK: Reading

    /// What a page is made with: all that it shows at first.
    func summary(file: String?, options: PageOptions, machines: [String], allowsChanges: Bool) -> JSON {
        var summary = PageSummary(file: file, options: options, machines: machines)
        summary.add(steps)
        summary.add(runs.columns, count: runs.count)
        summary.omitted = streams.omitted
        summary.interventions = interventions
        summary.restarts = restarts
        summary.live = .object([
            JSON.Member(key: "revision", value: .number(revision)),
            JSON.Member(key: "starts", value: .list(starts.map { .number($0) })),
            JSON.Member(key: "runChunk", value: .number(LiveData.runChunkSize)),
            JSON.Member(key: "allowsChanges", value: .bool(allowsChanges)),
        ])
        return summary.json(streams)
    }

    /// The columns of steps from an index on, at least those of one piece; nil if no piece begins there.
    func stepColumns(from first: Int, to end: Int) -> [UInt8]? {
        var index = piece(at: first)
        guard index < pieces.count, pieces[index].first == first else { return first == steps.count ? [] : nil }
        var bytes: [UInt8] = []
        while index < pieces.count, pieces[index].first < end, bytes.count < LiveData.answerBytes {
            bytes += pieces[index].bytes
            index += 1
        }
        return bytes
    }

    /// The number of the first piece that begins at a step or after it.
    private func piece(at step: Int) -> Int {
        var (low, high) = (0, pieces.count)
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].first >= step { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// The columns of effects from a number on.
    func runColumns(from first: Int, to end: Int) -> [UInt8] {
        let first = min(max(0, first), runs.count)
        return runs.encoded(first..<max(first, min(end, first + LiveData.answerRuns, runs.count)))
    }

    /// The positions of the steps of a chunk of texts; nil if there is no such chunk.
    func positions(ofChunk chunk: Int) -> ArraySlice<Int>? {
        guard starts.indices.contains(chunk) else { return nil }
        return positions[starts[chunk]..<(chunk + 1 < starts.count ? starts[chunk + 1] : positions.count)]
    }

    /// The effects of a chunk of texts, each with the name of its stream.
    func runs(ofChunk chunk: Int) -> [(place: LiveRuns.Place, stream: String)]? {
        let (first, overflow) = chunk.multipliedReportingOverflow(by: LiveData.runChunkSize)
        guard !overflow, first >= 0, first < runs.count else { return nil }
        return runs.places[first..<min(first + LiveData.runChunkSize, runs.count)].map {
            ($0, streams.rows[$0.stream].info.name)
        }
    }

    /// What a page that has seen a revision adds; nil if that was too long ago.
    func batch(since revision: Int, now: Timestamp = .now()) -> JSON? {
        guard let changes = log.changes(since: revision) else { return nil }
        let (from, to) = (changes.from, changes.to)
        func member(_ key: String, _ value: JSON) -> JSON.Member { JSON.Member(key: key, value: value) }
        func base64(_ bytes: [UInt8]) -> JSON { .text(String(decoding: Base64.encode(bytes), as: UTF8.self)) }
        var members = [member("now", .number(now.microseconds))]
        if to.streams > from.streams {
            members.append(member("streams", .list(streams.rows[from.streams...].map(PageSummary.row))))
        }
        if to.steps > from.steps {
            let new = pieces[piece(at: from.steps)...].flatMap(\.bytes)
            members += [
                member("steps", base64(new)), member("first", .number(steps.firstTime ?? 0)),
                member("last", .number(steps.lastTime)), member("densityFirst", .number(steps.histogram.first ?? 0)),
                member("width", .number(steps.histogram.width)),
                member("density", .list(steps.histogram.counts.map { .number($0) })),
                member("starts", .list(starts[from.starts...].map { .number($0) })),
            ]
        }
        if to.stepNames > from.stepNames {
            members.append(member("names", PageSummary.names(steps.names, from: from.stepNames)))
        }
        if !changes.outcomes.isEmpty {
            let known = changes.outcomes.flatMap { [JSON.number($0), .number(Int(outcomes[$0].rawValue))] }
            members.append(member("outcomes", .list(known)))
        }
        if !changes.runs.isEmpty {
            members += [
                member("runNames", PageSummary.names(runs.columns.names, from: from.runNames)),
                member("runNumbers", .list(changes.runs.map { .number($0) })),
                member("runs", base64(runs.encoded(changes.runs))),
            ]
        }
        if to.restarts > from.restarts {
            members.append(
                member("restarts", .list(restarts[from.restarts...].map { .number($0.microseconds) })))
        }
        if to.interventions > from.interventions {
            let acts = interventions[from.interventions...]
            members.append(
                member("interventions", .list(acts.map { PageSummary.intervention($0.stream, $0.act, redaction) })))
        }
        return .object(members)
    }
}
