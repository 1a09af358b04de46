import JournalStore

extension Command {
    /// `walk FILE`
    static let walk = Command(
        name: "walk",
        summary: "Walk through the steps of a stream, in full screen.",
        discussion: """
            It shows the steps, the entry of the selected step, and its effects; with the machine, also the state and \
            what the step changed. It begins with the newest step, and shows new steps as an app adds them. The key ? \
            lists the keys, q quits.
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
            // The terminal is restored; now the signal has the effect it would have had without a handler.
            if case .signal(let number) = try session.run() { System.endAsBySignal(number) }
            return .fine
        })

    private static func checkTerminal(_ arguments: Arguments) throws {
        let instead = "`log` lists the steps, `show` and `state` show one."
        if arguments[Flag.json] { throw UsageError("'walk' is interactive and has no '--json': \(instead)") }
        guard Terminal.isThere else { throw UsageError("'walk' needs a terminal to read keys and draw: \(instead)") }
        guard let name = System.environment("TERM"), !["", "dumb"].contains(name) else {
            throw UsageError("'walk' needs a terminal that can draw, and TERM does not name one: \(instead)")
        }
    }

    /// The session that computes states; nil if the machine is unknown and no library was given.
    private static func states(
        of stream: String, _ reader: JournalReader, _ arguments: Arguments, _ machines: Machines
    ) throws -> (any ReplaySession)? {
        let isWanted = arguments[Machines.option] != nil
        return try isWanted || machines.knows(reader.stream(stream)) ? machines.session(on: stream, reader) : nil
    }
}
