import JournalStore

extension Command {
    /// `walk FILE`
    static let walk = Command(
        name: "walk",
        summary: "Walk through the steps of a stream, on the whole screen.",
        discussion: """
            It shows the steps, what each is or came to, and its effects. It begins with the newest step; steps that an \
            app adds meanwhile appear. The key ? shows the keys, q quits.
            """,
        positionals: [.file],
        options: [stream, at],
        work: .reading { arguments, reader, output in
            try checkTerminal(arguments)
            let name = try streamName(arguments, reader)
            _ = try reader.stream(name)
            guard let terminal = Terminal() else {
                output.error("There are too many open files in this process.")
                return .failed
            }
            let session = WalkSession(
                WalkSource(reader: reader, stream: name), terminal, states: nil, at: arguments[at],
                usesColour: output.style.usesColour)
            // A signal does to the process what it would have done, but the screen is as it was before.
            if case .signal(let number) = try session.run() { System.endAsBySignal(number) }
            return .fine
        })

    private static func checkTerminal(_ arguments: Arguments) throws {
        let instead = "`log` lists the steps, `effects` the effects."
        if arguments[Flag.json] { throw UsageError("'walk' is for people and has no '--json': \(instead)") }
        guard Terminal.isThere else { throw UsageError("'walk' needs a terminal to read keys and draw: \(instead)") }
        guard let name = System.environment("TERM"), !["", "dumb"].contains(name) else {
            throw UsageError("'walk' needs a terminal that can draw, and TERM does not name one: \(instead)")
        }
    }

    /// The stream that is meant: where there is only one, it need not be said.
    private static func streamName(_ arguments: Arguments, _ reader: JournalReader) throws -> String {
        if let name = arguments[stream] { return name }
        let names = try reader.streams().map(\.name)
        guard let name = names.first, names.count == 1 else {
            throw UsageError("The journal has \(names.count) streams: name one with --stream.")
        }
        return name
    }

    private static let stream = Option<String>.text(
        "stream", "NAME", help: "The stream; need not be said where there is only one.")
    private static let at = Option<Int>.count("at", "STEP", help: "Begin with this step.")
}
