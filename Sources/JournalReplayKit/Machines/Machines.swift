import JournalStore

/// The machines that one invocation of the tool knows: the app's own, and those of the loaded libraries.
struct Machines: Sendable {
    private let known: [ReplayMachine]
    private let libraries: [String]
    private var progress: @Sendable (_ step: Int, _ last: Int) -> Void

    static let option = Option<String>.file(
        "machine", "LIBRARY",
        help: "Load machines from this dynamic library, and run its code. May be given several times.")

    /// - Parameter own: The machines of the app that embeds the tool.
    init(
        own: [ReplayMachine], libraries: [String], progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) throws {
        known = try own + libraries.flatMap { try PluginLibrary(path: $0).machines() }
        self.libraries = libraries
        self.progress = progress
    }

    /// The same machines without progress output, for a command that uses the whole screen.
    var withoutProgress: Machines {
        var quiet = self
        quiet.progress = { _, _ in }
        return quiet
    }

    /// Whether a replay was requested: the tool has machines, or `--machine` was given.
    var isAsked: Bool { !known.isEmpty || !libraries.isEmpty }

    func knows(_ stream: StreamInfo) -> Bool {
        known.contains { $0.name == stream.machine }
    }

    /// Opens a replay session on a stream.
    ///
    /// - Parameter without: The steps to leave out.
    /// - Throws: ``JournalError`` with ``JournalError/Code/noMachine`` if the stream's machine is unknown.
    func session(on stream: String, _ reader: JournalReader, without: [Int] = []) throws -> any ReplaySession {
        let info = try reader.stream(stream)
        guard let machine = known.first(where: { $0.name == info.machine }) else {
            let there = known.map { "'\($0.name)'" }.joined(separator: ", ")
            throw JournalError(
                .noMachine,
                "This needs the machine '\(info.machine)' to reduce the steps"
                    + (known.isEmpty ? "." : "; known machines: \(there)."),
                advice: "Load a library that has it, with --machine lib….so, or use the tool inside the app.",
                file: reader.file, stream: stream)
        }
        if let step = without.first(where: { !(1...max(1, info.headStep)).contains($0) }) {
            throw JournalError(
                .noSuchStep, "The stream ends at step \(info.headStep).", advice: "Leave out an existing step.",
                file: reader.file, stream: stream, step: step)
        }
        return try machine.open(
            ReplayRequest(reader: reader, stream: stream, without: without, progress: progress))
    }
}
