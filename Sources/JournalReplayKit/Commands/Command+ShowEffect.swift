import JournalStore

extension Command {
    /// `effects show FILE EFFECT`
    static let showEffect = Command(
        name: "effects show",
        summary: "Show one effect with all its fields and remembered steps.",
        positionals: [.file, .effect],
        options: [.theStream],
        keys: RunRow.keys.map(\.row) + [
            KeyRow(name: "remembered", meaning: "its remembered steps: objects with path, name, use, result")
        ],
        work: .reading { arguments, reader, output in
            let stream = try arguments.theStream(reader)
            guard let run = try arguments.run(.effect, of: stream, reader, output) else { return .missing }
            let row = RunRow(stream: stream, run: run)
            let steps = try reader.remembered(of: stream, step: run.step, ordinal: run.ordinal)
            if output.isJSON {
                let remembered = Key<RunRow>("remembered", "") { _ in .list(steps.map(json)) }
                try output.object(row, RunRow.keys + [remembered])
                return .fine
            }
            try output.properties(
                RunRow.keys.compactMap { key in
                    let text = key.value(row).plain
                    return text.isEmpty ? nil : (key.name, text)
                })
            guard !steps.isEmpty else { return .fine }
            try output.line("")
            var listing = Listing(output, keys: [], columns: columns)
            try listing.write(steps)
            return .fine
        })

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
        name: "EFFECT", help: "The effect, as listed by `effects`: 17.0 is the first of step 17.", completion: .nothing)
}

extension Arguments {
    /// The named effect; if it does not exist, reports an error and returns nil.
    func run(
        _ effect: Positional, of stream: String, _ reader: JournalReader, _ output: Output
    ) throws -> EffectRun? {
        guard let key = RunKey(self[effect]) else {
            throw UsageError("EFFECT is written like 17.0, not '\(self[effect])'; `effects` lists them.")
        }
        if let run = try reader.effectRun(key, of: stream) { return run }
        output.error("There is no effect \(key) in the stream '\(stream)'; `effects` lists them.")
        return nil
    }
}
