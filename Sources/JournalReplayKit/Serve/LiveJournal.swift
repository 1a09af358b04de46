import JournalStore

/// Reads a journal for a live page, and reads on as it grows. One thread at a time may call ``read()``.
final class LiveJournal {
    private static let pageSize = 4_096

    private let reader: JournalReader
    private let options: PageOptions
    private let take: (LiveChange) -> Void
    private var streams = PageStreams([])
    private var count = 0
    /// How far the journal was read.
    private(set) var position = 0
    private var intervention = 0
    /// The newest opening that was read.
    private var opening = 0
    private var hasReadRuns = false
    /// The steps whose outcome is not known yet, of each stream in order.
    private var unsettled: [Int: [(step: Int, index: Int)]] = [:]
    /// The effects that have not ended, and a hash of what the page shows of each.
    private var live: [LiveRuns.Place: Int] = [:]

    /// - Parameter take: called with what each look at the journal found.
    init(_ reader: JournalReader, _ options: PageOptions, take: @escaping (LiveChange) -> Void) throws {
        (self.reader, self.options, self.take) = (reader, options, take)
        // Also those without steps, and their order is that of their creation.
        let known = try reader.streams().filter { options.hasStream($0.name) }
        streams = PageStreams(known)
        var change = LiveChange()
        change.streams = known
        position = try options.firstPosition(reader, upTo: reader.lastPosition(), options.hasStream) - 1
        take(change)
    }

    /// Looks at the journal.
    ///
    /// - Returns: Whether there is more to read at once.
    func read() throws -> Bool {
        var change = LiveChange()
        // Also after an error: what was found until then is not found again.
        defer { if !change.isEmpty { take(change) } }
        let page = try EntryPage(reader, after: position, limit: LiveJournal.pageSize)
        for entry in page.entries { try add(entry, page, &change) }
        // The rest would be read again after each page.
        guard page.isLast else { return true }
        let hasMore = try settle(&change)
        try readRuns(&change)
        try readInterventions(&change)
        let openings = try reader.openings(after: opening)
        change.restarts = openings.filter(\.isRestart).map(\.time)
        opening = openings.last?.number ?? opening
        return hasMore
    }

    // MARK: Steps

    private func add(_ entry: Entry, _ page: EntryPage, _ change: inout LiveChange) throws {
        guard let stream = try number(of: entry.stream, &change) else {
            position = entry.position
            return
        }
        let sender = try entry.causeStream.map { try number(of: $0, &change) ?? -1 }
        let info = streams.rows[stream].info
        let record = page.record(of: entry, info.id)
        // What is known of the stream is older than the records, so that no record is missed.
        let outcome = PageOutcome(record, isSettled: entry.step <= info.settledStep)
        if outcome == .unknown || hasReadRuns { unsettled[stream, default: []].append((entry.step, count)) }
        change.steps.append(
            LiveChange.Step(
                entry: entry, stream: stream, sender: sender,
                action: options.redaction.json(entry.action), record: record, outcome: outcome))
        streams.add(entry.step, of: stream)
        count += 1
        position = entry.position
    }

    private func number(of name: String, _ change: inout LiveChange) throws -> Int? {
        if let known = streams.number(name) { return known }
        guard options.hasStream(name) else { return nil }
        var info = try reader.stream(name)
        change.streams.append(info)
        // Its records were read before its settlement watermark.
        info.settledStep = 0
        streams.append(info)
        return streams.number(name)
    }

    /// Looks up the outcomes that were not known, and the effects of the steps whose outcome is known now: both are
    /// committed together.
    ///
    /// - Returns: whether there are more records than it reads at once.
    private func settle(_ change: inout LiveChange) throws -> Bool {
        var hasMore = false
        let first = count - change.steps.count
        for (stream, steps) in unsettled {
            // In the order of their positions, which is that of the steps unless the file is damaged.
            let numbers = steps.map { $0.step }
            guard let oldest = numbers.min(), let newest = numbers.max() else { continue }
            let info = try reader.stream(streams.rows[stream].info.name)
            let (records, covered) = try self.records(of: info.name, oldest...newest)
            streams.set(info, of: stream)
            // Nothing is recorded of a stream that no store has open, however long it is, but a skip.
            if records.isEmpty, info.settledStep < oldest { continue }
            var rest: [(step: Int, index: Int)] = []
            var known: [(index: Int, outcome: PageOutcome)] = []
            var last: Int?
            for (step, index) in steps {
                // With an entry that was pruned its record is gone, and what it was is not known any more.
                let isPruned =
                    try step <= info.prunedStep && records[step] == nil
                    && reader.entries(in: info.name, from: step, limit: 1).first?.step != step
                let outcome = PageOutcome(
                    records[step], isSettled: step <= min(info.settledStep, covered) && !isPruned)
                guard outcome != .unknown else {
                    if !isPruned { rest.append((step, index)) }
                    continue
                }
                last = max(last ?? step, step)
                if index < first || change.steps[index - first].outcome == .unknown { known.append((index, outcome)) }
            }
            // The initial effect belongs to step 0.
            if let last { try readRuns(of: stream, from: oldest == 1 ? 0 : oldest, through: last, &change) }
            change.outcomes += known
            unsettled[stream] = rest.isEmpty ? nil : rest
            hasMore = hasMore || covered < min(newest, info.settledStep) && rest.count < steps.count
        }
        return hasMore
    }

    private func records(
        of stream: String, _ steps: ClosedRange<Int>
    ) throws -> (records: [Int: StepRecord], covered: Int) {
        let found = try reader.stepRecords(
            of: stream, from: steps.lowerBound, through: steps.upperBound, limit: LiveJournal.pageSize)
        let records = Dictionary(found.map { ($0.step, $0) }, uniquingKeysWith: { first, _ in first })
        return (records, found.count < LiveJournal.pageSize ? .max : found.last?.step ?? .max)
    }

    // MARK: Effects

    private func readRuns(of stream: Int, from first: Int, through last: Int, _ change: inout LiveChange) throws {
        var place = (step: first, ordinal: -1)
        while true {
            let page = try reader.effectRuns(in: streams.rows[stream].info.name, after: place, limit: 500)
            for run in page where run.step <= last { try add(run, stream, &change) }
            guard let end = page.last, end.step <= last else { return }
            place = (end.step, end.ordinal)
        }
    }

    /// The first time all effects, later those that have not ended and those that have since.
    private func readRuns(_ change: inout LiveChange) throws {
        var seen: Set<LiveRuns.Place> = []
        try reader.forEachRun(of: nil, isLive: hasReadRuns) { page in
            for (name, run) in page {
                guard let stream = try number(of: name, &change), streams.rows[stream].shows(run) else { continue }
                if !run.status.isFinal { seen.insert(place(of: run, stream)) }
                try add(run, stream, &change)
            }
        }
        hasReadRuns = true
        for place in live.keys where !seen.contains(place) { try readAgain(place, &change) }
    }

    private func readAgain(_ place: LiveRuns.Place, _ change: inout LiveChange) throws {
        let name = streams.rows[place.stream].info.name
        let key = RunKey(step: place.step, ordinal: place.ordinal)
        guard let run = try reader.effectRun(key, in: name) else {
            live[place] = nil
            return
        }
        guard live[place] != nil || streams.rows[place.stream].shows(run) else { return }
        try add(run, place.stream, &change)
    }

    private func add(_ run: EffectRun, _ stream: Int, _ change: inout LiveChange) throws {
        let place = place(of: run, stream)
        let hash = run.hashValue
        if !run.status.isFinal, live[place] == hash { return }
        change.runs.append((run, stream))
        live[place] = run.status.isFinal ? nil : hash
    }

    private func place(of run: EffectRun, _ stream: Int) -> LiveRuns.Place {
        LiveRuns.Place(stream: stream, step: run.step, ordinal: run.ordinal)
    }

    private func readInterventions(_ change: inout LiveChange) throws {
        var found: [(stream: Int, act: Intervention)] = []
        let newest = try reader.forEachIntervention(of: nil, after: intervention) { page in
            for listed in page {
                guard let stream = try number(of: listed.stream, &change) else { continue }
                let act = listed.intervention
                found.append((stream, act))
                guard let ordinal = act.ordinal else { continue }
                // An effect that had ended may have begun and ended again.
                try readAgain(LiveRuns.Place(stream: stream, step: act.step, ordinal: ordinal), &change)
            }
        }
        change.interventions += found
        intervention = newest
    }
}
