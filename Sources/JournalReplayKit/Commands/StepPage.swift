import JournalStore

/// Everything that `show` prints about one step.
struct StepPage {
    var stream: String
    var entry: EntryRow
    var record: StepRecord?
    var dispatchID: String?
    /// The first ``mostRuns`` effects.
    var runs: [ListedRun]
    /// Whether it has more.
    var hasMoreRuns: Bool
    /// The first ``mostCaused`` entries that its effects sent, to this stream and to others.
    var caused: [Entry]
    /// Whether they sent more.
    var hasMoreCaused: Bool
    /// What operators did to the step and its effects.
    var interventions: [Intervention]
    /// The result of replaying the step; nil if the machine is unknown or cannot replay it.
    var view: StepView?
    /// Why it cannot.
    var problem: JournalError?
    /// What to tell if an older version of the machine had reduced the step.
    var olderCode: String?
    /// What could not be read.
    private(set) var unreadable = Unreadable()

    private static let mostRuns = 1_000
    private static let mostCaused = 100

    /// Reads what is recorded.
    init(_ step: Int, of stream: String, _ reader: JournalReader) throws {
        let info = try reader.stream(stream)
        guard let entry = try reader.entries(in: stream, from: step, limit: 1).first, entry.step == step else {
            guard info.headStep > 0 else {
                throw JournalError(
                    .noSuchStep, "The stream has no step yet.", advice: "There is nothing to show.",
                    file: reader.file, stream: stream)
            }
            throw step <= info.prunedStep
                ? JournalError(
                    .noSuchStep, "The entry was pruned.",
                    advice: "Choose step \(info.prunedStep + 1) or a later one.", file: reader.file, stream: stream,
                    step: step)
                : .missingEntry(reader.file, stream: stream, step: step)
        }
        self.stream = stream
        let outcome = try reader.outcomes(of: [entry], &unreadable).first ?? nil
        self.entry = EntryRow(entry, outcome ?? .unreadable)
        record = outcome == nil ? nil : try reader.stepRecords(of: stream, from: step, through: step).first
        dispatchID = try reader.dispatchID(of: stream, step: step)
        let all = try reader.effectRuns(in: stream, step: step, limit: Self.mostRuns + 1, &unreadable)
        runs = try reader.listed(Array(all.prefix(Self.mostRuns)), of: stream)
        hasMoreRuns = all.count > Self.mostRuns
        interventions = try reader.interventions(in: stream, steps: step...step)
        // A step without effects causes no entries, so skip the search, which takes a while. An ephemeral effect has no
        // run.
        let found =
            runs.isEmpty && record != nil && record?.effects == nil
            ? [] : try reader.entries(causedBy: step, in: stream, limit: Self.mostCaused + 1)
        (caused, hasMoreCaused) = (Array(found.prefix(Self.mostCaused)), found.count > Self.mostCaused)
    }

    /// Replays the step, if its machine is known.
    mutating func replay(_ reader: JournalReader, _ machines: Machines) throws {
        let step = entry.entry.step
        do {
            guard try machines.knows(reader.stream(stream)) else { return }
            let session = try machines.session(on: stream, reader)
            view = try session.step(step)
            olderCode = try reader.noteOfOlderCode(at: [(step, .changes)], of: stream, than: session.version)
        } catch let error as JournalError where error.isOfReplay || error.isDamage && unreadable.outcomes > 0 {
            problem = error
        }
    }

    /// The outcome that the machine gives the step now, in the words of ``StepOutcome``.
    var replayedOutcome: String? {
        guard let view else { return nil }
        // A skipped or cancelled step is not reduced, and has no outcome but the recorded one.
        if view.isSkipped { return entry.outcome.outcome?.rawValue }
        return (view.rejection == nil ? StepRecord.Outcome.reduced : .rejected).rawValue
    }

    func writeRecorded(to output: Output) throws {
        try output.properties(
            [
                ("Stream", stream), ("Step", "\(entry.entry.step)"), ("Time", entry.entry.time.description),
                ("Origin", entry.entry.originWithCause),
            ] + (dispatchID.map { [("Dispatch ID", $0)] } ?? []) + [
                ("Outcome", entry.outcome.description),
                ("Version", "\(entry.entry.version)"), ("Position", "\(entry.entry.position)"),
                ("Digest", entry.entry.digest.description),
            ])
        try part("Action", output, StoredJSON.lines(entry.entry.action, width: 98) ?? [entry.entry.action])
        try part("Cascaded actions", output, list(record?.cascade))
        try part("Returned effects", output, list(record?.effects))
        try part(
            "Recorded effects", output, runs.flatMap(lines(of:)) + (hasMoreRuns ? [rest(after: Self.mostRuns)] : []))
        try part(
            "Caused entries", output,
            caused.map(line(of:)) + (hasMoreCaused ? [rest(after: Self.mostCaused)] : []))
        try part(
            "Interventions", output,
            interventions.map { act in
                let object = act.ordinal.map { " of \(RunKey(step: act.step, ordinal: $0))" } ?? ""
                let user = act.user.map { " by \($0)" } ?? ""
                return "\(act.time) \(act.act.rawValue)\(object)\(user)" + (act.reason.map { ": \($0)" } ?? "")
            })
    }

    func writeReplayed(to output: Output) throws {
        if let replayed = replayedOutcome, let recorded = entry.outcome.outcome?.rawValue, replayed != recorded {
            try part(
                "Other code", output,
                [
                    "The step was \(recorded) when it happened, and is \(replayed) by this code. The changes "
                        + "below are what this code does."
                ])
        }
        if let problem { try part("Changes", output, ["not known: \(problem)"]) }
        guard let view else { return }
        try output.line("")
        try output.line(output.style.headline("Changes"))
        if view.changes.isEmpty { try output.line("  none") }
        for change in view.changes { try output.change(change, indent: "  ") }
    }

    private func lines(of listed: ListedRun) -> [String] {
        let run = listed.run
        let kind = run.kind == .effect ? "" : run.kind.rawValue + " "
        let attempts = Quantity.counted(run.attempts, "attempt", "attempts")
        var line = "\(run.key) \(kind)'\(run.name)' \(run.status.rawValue), \(attempts)"
        if let error = run.lastError { line += ": \(error)" }
        guard let key = listed.idempotencyKey else { return [line] }
        return [line, "    idempotency key \(key)"]
    }

    private func line(of other: Entry) -> String {
        let place = ByteName(other.stream) == ByteName(stream) ? "" : "stream '\(other.stream)', "
        return place + "step \(other.step): " + (StoredJSON.compact(other.action) ?? other.action)
    }

    private func rest(after count: Int) -> String { "… and more: these are the first \(Quantity.grouped(count))" }

    /// The elements of a recorded list, one per line.
    private func list(_ text: String?) -> [String] {
        guard let text else { return [] }
        guard case .list(let elements) = JSON(text) else { return [text] }
        return elements.map(\.json)
    }

    private func part(_ title: String, _ output: Output, _ lines: [String]) throws {
        guard !lines.isEmpty else { return }
        try output.line("")
        try output.line(output.style.headline(title))
        for line in lines { try output.line("  " + SafeText.escape(line)) }
    }
}

extension JournalError {
    /// The entry of a step is gone, although it was not pruned.
    static func missingEntry(_ file: String?, stream: String, step: Int) -> JournalError {
        JournalError(
            .corrupt, "The entry is missing.", advice: "Run `verify` to find all damage.", file: file, stream: stream,
            step: step)
    }
}
