import JournalStore

extension Command {
    /// `show FILE STEP`
    static let show = Command(
        name: "show",
        summary: "Show one step: its action, origin, outcome, effects, and what it caused.",
        discussion: "With the machine it also shows what the step changed in the state.",
        positionals: [.file, step],
        options: [.theStream, Machines.option],
        keys: Keys.all.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let stream = try arguments.theStream(reader)
            let number = try arguments.step(step, lowest: 1, stream, reader)
            let page = try StepPage(number, of: stream, reader, machines)
            if output.isJSON {
                try output.object(page, Keys.all)
            } else {
                try page.write(to: output)
            }
            return .fine
        })

    private static let step = Positional(name: "STEP", help: "The step, or 'last'.", completion: .nothing)

    private enum Keys {
        static let all: [Key<StepPage>] =
            EntryRow.keys.map { key in Key(key.name, key.meaning) { key.value($0.entry) } } + [
                Key("outcome", "reduced, rejected or skipped; null if it is not recorded yet") {
                    .text($0.outcome)
                },
                Key("reason", "why it was rejected") { .text($0.record?.reason) },
                Key("cascade", "the actions that it added") { StoredJSON.orText($0.record?.cascade) },
                Key("effects", "the effects that it returned") { StoredJSON.orText($0.record?.effects) },
                Key("runs", "the recorded effects: objects with effect, name, status, attempts, error") {
                    .list($0.runs.map(run))
                },
                Key("caused", "the entries that it caused: objects with stream, step, effect") {
                    .list($0.caused.map(caused))
                },
                Key("changes", "what it changed in the state: objects with path, old, new; null without the machine") {
                    $0.view.map { .changes($0.changes) } ?? .null
                },
            ]

        private static func run(_ run: EffectRun) -> JSON {
            .object([
                .init(key: "effect", value: .text("\(run.key)")), .init(key: "name", value: .text(run.name)),
                .init(key: "status", value: .text(run.status.rawValue)),
                .init(key: "attempts", value: .number(run.attempts)), .init(key: "error", value: .text(run.error)),
            ])
        }

        private static func caused(_ entry: Entry) -> JSON {
            .object([
                .init(key: "stream", value: .text(entry.stream)), .init(key: "step", value: .number(entry.step)),
                .init(key: "effect", value: .number(entry.causeRun)),
            ])
        }
    }
}

/// Everything that `show` prints about one step.
struct StepPage {
    var stream: String
    var entry: EntryRow
    var record: StepRecord?
    var isSettled: Bool
    var runs: [EffectRun]
    /// The first hundred entries that its effects sent, to this stream and to others.
    var caused: [Entry]
    /// The result of replaying the step; nil if the machine is unknown.
    var view: StepView?

    init(_ step: Int, of stream: String, _ reader: JournalReader, _ machines: Machines) throws {
        let info = try reader.stream(stream)
        guard let entry = try reader.entries(in: stream, from: step, limit: 1).first, entry.step == step else {
            throw step <= info.prunedStep
                ? JournalError(
                    .noSuchStep, "The entry was pruned.",
                    advice: "Choose step \(info.prunedStep + 1) or a later one.", file: reader.file, stream: stream,
                    step: step)
                : JournalError(
                    .corrupt, "The entry is missing.", advice: "Run `journal-replay verify` to find all damage.",
                    file: reader.file, stream: stream, step: step)
        }
        self.stream = stream
        self.entry = EntryRow(entry)
        record = try reader.stepRecords(of: stream, from: step, limit: 1).first { $0.step == step }
        isSettled = step <= info.settledStep
        runs = try reader.effectRuns(of: stream, step: step, limit: 1_000)
        // A step without effects causes no entries, so skip the search, which takes a while.
        caused = runs.isEmpty ? [] : try reader.entries(causedBy: step, of: stream, limit: 100)
        view = machines.knows(info) ? try machines.session(on: stream, reader).step(step) : nil
    }

    var outcome: String? { record?.outcome.rawValue ?? (isSettled ? "reduced" : nil) }

    func write(to output: Output) throws {
        try output.properties([
            ("Stream", stream), ("Step", "\(entry.entry.step)"), ("Time", entry.entry.time.description),
            ("Origin", entry.origin),
            ("Outcome", (outcome ?? "not recorded yet") + (record?.reason.map { ": \($0)" } ?? "")),
            ("Version", "\(entry.entry.version)"), ("Position", "\(entry.entry.position)"),
            ("Digest", entry.entry.digest.description),
        ])
        try part("Action", output, StoredJSON.lines(entry.entry.action, width: 98) ?? [entry.entry.action])
        try part("Cascaded actions", output, list(record?.cascade))
        try part("Returned effects", output, list(record?.effects))
        try part(
            "Recorded effects", output,
            runs.map { run in
                "\(run.key) '\(run.name)' \(run.status.rawValue), "
                    + Quantity.counted(run.attempts, "attempt", "attempts") + (run.error.map { ": \($0)" } ?? "")
            })
        try part(
            "Caused entries", output,
            caused.map { other in
                (other.stream == stream ? "" : "stream '\(other.stream)', ") + "step \(other.step): "
                    + (StoredJSON.compact(other.action) ?? other.action)
            })
        guard let view else { return }
        try output.line("")
        try output.line(output.style.headline("Changes"))
        if view.changes.isEmpty { try output.line("  none") }
        for change in view.changes { try output.change(change, indent: "  ") }
    }

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
