import JournalStore

/// The machines that a run of the tool knows: the app's own, and those of the libraries it was given.
struct Machines: Sendable {
    private let known: [ReplayMachine]
    private let libraries: [String]
    private var progress: @Sendable (_ step: Int, _ last: Int) -> Void

    static let option = Option<String>.file(
        "machine", "LIBRARY",
        help: "A dynamic library with the machine; its code is run. May be given several times.")

    /// - Parameter own: those of the app that the tool is a part of.
    init(
        own: [ReplayMachine], libraries: [String], progress: @escaping @Sendable (Int, Int) -> Void = { _, _ in }
    ) throws {
        known = try own + libraries.flatMap { try PluginLibrary(path: $0).machines() }
        self.libraries = libraries
        self.progress = progress
    }

    /// The same where the terminal is taken.
    var withoutProgress: Machines {
        var quiet = self
        quiet.progress = { _, _ in }
        return quiet
    }

    /// Whether somebody wants a replay.
    var isAsked: Bool { !known.isEmpty || !libraries.isEmpty }

    func knows(_ stream: StreamInfo) -> Bool {
        known.contains { $0.name == stream.machine }
    }

    /// A stream under replay.
    ///
    /// - Parameter without: the steps that are to be taken for not having happened.
    /// - Throws: ``JournalError`` with ``JournalError/Code/noMachine`` where nobody knows its machine.
    func session(on stream: String, _ reader: JournalReader, without: [Int] = []) throws -> any ReplaySession {
        let info = try reader.stream(stream)
        guard let machine = known.first(where: { $0.name == info.machine }) else {
            let there = known.map { "'\($0.name)'" }.joined(separator: ", ")
            throw JournalError(
                .noMachine,
                "This needs the machine '\(info.machine)', to reduce its steps"
                    + (known.isEmpty ? "." : "; there is only \(there)."),
                advice: "Give a library that has it, --machine lib….so, or use the tool that the app carries.",
                file: reader.file, stream: stream)
        }
        if let step = without.first(where: { !(1...max(1, info.headStep)).contains($0) }) {
            throw JournalError(
                .noSuchStep, "The stream ends at step \(info.headStep).", advice: "Leave out a step that is there.",
                file: reader.file, stream: stream, step: step)
        }
        return try machine.open(
            ReplayRequest(reader: reader, stream: stream, without: without, progress: progress))
    }
}
