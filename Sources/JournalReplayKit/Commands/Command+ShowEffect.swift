import JournalStore

extension Command {
    /// `effects show FILE EFFECT`
    static let showEffect = Command(
        name: "effects show",
        summary: "Show one effect with its fields, attempts, remembered steps and interventions.",
        positionals: [.file, .theStream, .effect],
        options: [.stream],
        keys: RunRow.keys.map(\.row) + [
            KeyRow(
                name: "history",
                meaning:
                    "its attempts, oldest first: objects with attempt, started, ended, outcome, error. The outcome is "
                    + "failed, cut off (its process ended), cancelled, or the status of the effect. Of many, the first and "
                    + "the newest are kept"),
            KeyRow(name: "remembered", meaning: "its remembered steps: objects with path, name, use, result"),
            KeyRow(
                name: "interventions",
                meaning: "what operators did to it: objects with time, act, effect, before, user, reason"),
        ],
        work: .reading { arguments, reader, output in
            let stream = try arguments.theStream(reader)
            let run = try arguments.run(.effect, of: stream, reader)
            guard let row = try reader.listed([run], of: stream).first else { return .missing }
            let steps = try reader.remembered(of: stream, step: run.step, ordinal: run.ordinal)
            let history = EffectAttempt.history(
                of: run, try reader.attempts(of: stream, step: run.step, ordinal: run.ordinal))
            let interventions = try reader.interventions(in: stream, steps: run.step...run.step).filter {
                $0.ordinal == run.ordinal
            }
            if output.isJSON {
                let attempts = Key<ListedRun>("history", "") { _ in .list(history.map(json)) }
                let remembered = Key<ListedRun>("remembered", "") { _ in .list(steps.map(json)) }
                let acts = Key<ListedRun>("interventions", "") { _ in .list(interventions.map(\.json)) }
                try output.object(row, RunRow.keys + [attempts, remembered, acts])
                return .fine
            }
            try output.properties(
                RunRow.keys.compactMap { key in
                    let text = key.name == "ordinal" ? "\(row.run.key)" : key.value(row).plain
                    // As in the other texts, only what is no plain effect is named.
                    guard !text.isEmpty, key.name != "kind" || row.run.kind != .effect else { return nil }
                    return (label(key.name), text)
                })
            // What a single attempt did is in the properties.
            if history.count > 1 || run.failures > 0 && run.status != .failed {
                try write(history, attemptColumns, output)
                let numbers = history.map(\.attempt.number)
                for (number, next) in zip(numbers, numbers.dropFirst()) where next > number + 1 {
                    let missing =
                        next > number + 2 ? "s \(number + 1) to \(next - 1) are" : " \(number + 1) is"
                    try output.note("The record\(next > number + 2 ? "s" : "") of attempt\(missing) not kept.")
                }
            }
            try write(steps, columns, output)
            try write(interventions, Intervention.columns, output)
            if run.status == .running { try output.noteInterruption(reader) }
            var crashLoops = CrashLoopNotes()
            crashLoops.add([row])
            try crashLoops.write(of: stream, reader, to: output)
            return .fine
        })

    /// What a key is called here, if its own words are not plain.
    private static let labels = [
        "id": "ID", "ordinal": "Effect", "rootStep": "Dispatched step", "delivered": "Actions sent",
    ]

    /// A key in words, as other texts have them: "Idempotency key", "Dispatch ID".
    private static func label(_ key: String) -> String {
        if let label = labels[key] { return label }
        var words = [""]
        for letter in key {
            if letter.isUppercase, words[words.count - 1].last?.isLowercase == true { words.append("") }
            words[words.count - 1].append(letter)
        }
        let label = words.map { $0.allSatisfy(\.isUppercase) ? $0 : $0.lowercased() }.joined(separator: " ")
        return label.prefix(1).uppercased() + label.dropFirst()
    }

    private static func write<Item>(_ items: [Item], _ columns: [Column<Item>], _ output: Output) throws {
        guard !items.isEmpty else { return }
        try output.line("")
        var listing = Listing(output, keys: [], columns: columns)
        try listing.write(items)
    }

    private typealias Attempt = (attempt: EffectAttempt, outcome: EffectAttempt.Outcome)

    private static let attemptColumns: [Column<Attempt>] = [
        .number("ATTEMPT") { $0.attempt.number }, Column("STARTED") { $0.attempt.started?.description ?? "" },
        Column("ENDED") { $0.attempt.ended?.description ?? "" }, Column("OUTCOME") { $0.outcome.description },
        Column("ERROR") { $0.attempt.error ?? "" }.red { _ in true },
    ]

    private static func json(_ item: Attempt) -> JSON {
        .object([
            .init(key: "attempt", value: .number(item.attempt.number)),
            .init(key: "started", value: .text(item.attempt.started?.description)),
            .init(key: "ended", value: .text(item.attempt.ended?.description)),
            .init(key: "outcome", value: .text(item.outcome.description)),
            .init(key: "error", value: .text(item.attempt.error)),
        ])
    }

    private static let columns: [Column<RememberedStep>] = [
        Column("REMEMBERED") { $0.path + "/" + $0.name }, .number("USE") { $0.use },
        Column("RESULT") { StoredJSON.compact($0.result) ?? $0.result },
    ]

    private static func json(_ step: RememberedStep) -> JSON {
        .object([
            .init(key: "path", value: .text(step.path)), .init(key: "name", value: .text(step.name)),
            .init(key: "use", value: .number(step.use)), .init(key: "result", value: StoredJSON.orText(step.result)),
        ])
    }
}

extension Positional {
    static let effect = Positional(
        name: "EFFECT",
        help: "The effect, as listed by `effects`: 17.0 is the first of step 17. 17 is the only one of step 17.",
        completion: .nothing,
        form: Form(expected: "an effect as `effects` lists them, such as 17.0") { RunKey($0) != nil })

    /// The same, for commands that can also select several effects.
    static let someEffect = Positional(
        name: effect.name, help: effect.help, completion: .nothing, isOptional: true, form: effect.form)
}

extension Arguments {
    /// How many effects of a step an error lists.
    private static var mostListed: Int { 5 }

    /// The named effect.
    func run(_ effect: Positional, of stream: String, _ reader: JournalReader) throws -> EffectRun {
        guard let key = RunKey(self[effect]) else { throw UsageError("EFFECT is missing.") }
        let isStep = !self[effect].contains(".")
        if !isStep, let run = try reader.effectRun(key, in: stream) { return run }
        let runs = try reader.effectRuns(in: stream, step: key.step, limit: Self.mostListed)
        let others = runs.map { "\($0.key) '\($0.name)'" }
        if isStep, let run = runs.first {
            guard runs.count > 1 else { return run }
            throw UsageError(
                "Step \(key.step) has several effects, such as \(others.joined(separator: ", ")): name one of them.")
        }
        let pruned = try reader.stream(stream).prunedStep
        let listed = others.joined(separator: ", ")
        let known =
            others.isEmpty
            ? "`effects --all` lists them."
            : runs.count < Self.mostListed
                ? "Step \(key.step) has \(listed)." : "Step \(key.step) has several effects, such as \(listed)."
        let isPruned = key.step <= pruned && key.step > 0
        let reason = "The entries up to step \(pruned) were pruned, with the records of their ended effects."
        throw JournalError(
            .noSuchStep, "There is no effect \(key).",
            advice: isPruned ? reason + (others.isEmpty ? "" : " " + known) : known,
            file: reader.file, stream: stream, step: key.step)
    }
}
