import JournalStore

extension Command {
    /// `walk FILE`
    static let walk = Command(
        name: "walk",
        summary: "Walk through the steps of a stream, on the whole screen.",
        discussion: """
            It shows the steps, what each is or came to, and its effects. It begins with the newest step; steps that an \
            app adds meanwhile appear. With the machine it shows the state, and what each step changed. The key ? shows the \
            keys, q quits.
            """,
        positionals: [.file],
        options: [.theStream, Place.option, Machines.option],
        work: .replaying { arguments, reader, output, machines in
            try checkTerminal(arguments)
            let name = try arguments.theStream(reader)
            let step = try arguments[Place.option]?.step(name, reader)
            let states = try states(of: name, reader, arguments, machines.withoutProgress)
            guard let terminal = Terminal() else {
                output.error("There are too many open files in this process.")
                return .failed
            }
            let session = WalkSession(
                WalkSource(reader: reader, stream: name), terminal, states: states, at: step.map { max(1, $0) },
                usesColour: output.style.usesColour)
            // A signal does to the process what it would have done, but the screen is as it was before.
            if case .signal(let number) = try session.run() { System.endAsBySignal(number) }
            return .fine
        })

    private static func checkTerminal(_ arguments: Arguments) throws {
        let instead = "`log` lists the steps, `show` and `state` tell of one."
        if arguments[Flag.json] { throw UsageError("'walk' is for people and has no '--json': \(instead)") }
        guard Terminal.isThere else { throw UsageError("'walk' needs a terminal to read keys and draw: \(instead)") }
        guard let name = System.environment("TERM"), !["", "dumb"].contains(name) else {
            throw UsageError("'walk' needs a terminal that can draw, and TERM does not name one: \(instead)")
        }
    }

    /// Where a library was given it must have the machine; else a walk does without.
    private static func states(
        of stream: String, _ reader: JournalReader, _ arguments: Arguments, _ machines: Machines
    ) throws -> (any ReplaySession)? {
        let isWanted = arguments[Machines.option] != nil
        return try isWanted || machines.knows(reader.stream(stream)) ? machines.session(on: stream, reader) : nil
    }
}
