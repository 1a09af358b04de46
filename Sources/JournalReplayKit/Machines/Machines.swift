import JournalStore

/// The machines that one invocation of the tool knows: the app's own, and those of the loaded libraries.
struct Machines: Sendable {
    private let known: [ReplayMachine]
    private let libraries: [String]
    /// Where the progress of long replays is shown.
    private(set) var progress: Progress

    static let option = Option<String>.file(
        "machine", "LIBRARY", help: "Load machines from this dynamic library, and run its code."
    ).asList

    /// - Parameter own: The machines of the app that embeds the tool.
    init(own: [ReplayMachine], libraries: [String], progress: Progress = Progress(isWanted: false)) throws {
        let loaded = try libraries.flatMap { try PluginLibrary(path: $0).machines() }
        try Machines.checkNames(own, advice: "Give `ReplayTool(machines:)` one of them: each version has its own tool.")
        try Machines.checkNames(loaded, advice: "Load one of them with --machine.")
        self.init(own: own, loaded: loaded, libraries: libraries, progress: progress)
    }

    /// A stream has the name of its machine: of two with that name, each command would take the first.
    private static func checkNames(_ machines: [ReplayMachine], advice: String) throws(JournalError) {
        var versions: [ByteName: Int] = [:]
        for machine in machines {
            guard let other = versions.updateValue(machine.version, forKey: ByteName(machine.name)) else { continue }
            throw JournalError(
                .badArgument,
                "There are two machines with the name '\(machine.name)', of version \(other) and \(machine.version).",
                advice: advice)
        }
    }

    /// A library that the command line names comes before a machine of the app with the same name.
    init(
        own: [ReplayMachine], loaded: [ReplayMachine], libraries: [String] = [],
        progress: Progress = Progress(isWanted: false)
    ) {
        let names = Set(loaded.map { ByteName($0.name) })
        known = loaded + own.filter { !names.contains(ByteName($0.name)) }
        self.libraries = libraries
        self.progress = progress
    }

    /// The same machines without progress output, for a command that uses the whole screen.
    var withoutProgress: Machines {
        var quiet = self
        quiet.progress = Progress(isWanted: false)
        return quiet
    }

    /// Whether a replay was requested: the tool has machines, or `--machine` was given.
    var isAsked: Bool { !known.isEmpty || !libraries.isEmpty }

    var names: [String] { known.map(\.name) }

    /// Answers requests about the known machines.
    var server: PluginServer { PluginServer(known) }

    func knows(_ stream: StreamInfo) -> Bool { version(of: stream) != nil }

    private func machine(of stream: StreamInfo) -> ReplayMachine? {
        known.first { $0.name.hasSameBytes(as: stream.machine) }
    }

    /// The version of the stream's machine; nil if the machine is unknown.
    func version(of stream: StreamInfo) -> Int? {
        machine(of: stream)?.version
    }

    /// Opens a replay session on a stream.
    ///
    /// - Parameters:
    ///   - without: The steps to leave out.
    ///   - last: The last step that matters; nil for all.
    /// - Throws: ``JournalError`` with ``JournalError/Code/noMachine`` if the stream's machine is unknown.
    func session(
        on stream: String, _ reader: JournalReader, without: [Int] = [], upTo last: Int? = nil
    ) throws -> any ReplaySession {
        let info = try reader.stream(stream)
        guard let machine = machine(of: info) else {
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
        if let step = without.first(where: { $0 <= info.prunedStep }) {
            throw JournalError(
                .noSuchStep, "The entries up to step \(info.prunedStep) were pruned, so this step cannot be left out.",
                advice: "Leave out a later step, or read a backup that has the entries.", file: reader.file,
                stream: stream, step: step)
        }
        if let last, let later = without.first(where: { $0 > last }) {
            throw UsageError("'--without \(later)' changes nothing: it comes after step \(last).")
        }
        return try machine.open(
            ReplayRequest(reader: reader, stream: stream, without: without) { progress.show($0, of: $1) })
    }
}
