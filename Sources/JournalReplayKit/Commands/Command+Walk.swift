import JournalStore

extension Command {
    /// `walk FILE`
    static let walk = Command(
        name: "walk",
        summary: "Walk through the steps of a stream, in full screen.",
        discussion: """
            It shows the steps, the entry of the selected step, and its effects; with the machine, also the state and \
            what the step changed. If the journal has several streams, it first shows them to choose one. It begins \
            with the newest step, and shows new steps as an app adds them. The key ? lists the keys, q quits.
            """,
        positionals: [.file, .theStream, .place],
        options: [.stream, Place.option, Machines.option],
        isInteractive: true,
        work: .replaying { arguments, reader, output, machines in
            try checkTerminal()
            guard let terminal = Terminal() else {
                output.error("There are too many open files in this process.")
                return .failed
            }
            let file = WatchedFile(reader)
            let chosen = try arguments.theStream(reader) { streams in
                choose(among: streams, reader, terminal, usesColour: output.style.usesColour)
            }
            guard let name = chosen else { return .fine }
            try file.check()
            let step = try arguments.place()?.step(name, reader)
            let states = try states(of: name, reader, arguments, machines.withoutProgress)
            let session = WalkSession(
                WalkSource(reader: reader, stream: name, version: states?.version), file, terminal, states: states,
                at: step,
                usesColour: output.style.usesColour, tool: output.tool)
            // The terminal is restored; now the signal has the effect it would have had without a handler.
            if case .signal(let number) = try session.run() { System.endAsBySignal(number) }
            return .fine
        })

    /// The stream that the person chooses; nil to quit.
    private static func choose(
        among streams: [StreamInfo], _ reader: JournalReader, _ terminal: Terminal, usesColour: Bool
    ) -> String? {
        let rows = streams.map { StreamPicker.Row(name: $0.name, machine: $0.machine, steps: $0.headStep) }
        let file = reader.file.map(Platform.name) ?? ""
        var session = StreamPickerSession(file: file, rows, terminal, usesColour: usesColour)
        switch session.run() {
        case .chosen(let name): return name
        case .quit: return nil
        case .signal(let number):
            System.endAsBySignal(number)
            return nil
        }
    }

    private static func checkTerminal() throws {
        let instead = "`log` lists the steps, `show` and `state` show one."
        guard Terminal.isThere else { throw UsageError("'walk' needs a terminal to read keys and draw: \(instead)") }
        guard System.canRedraw else {
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
