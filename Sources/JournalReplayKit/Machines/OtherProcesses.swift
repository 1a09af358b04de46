import JournalStore

/// Replays a stream in other processes and compares the states. Sets and dictionaries have another order in each
/// process, so this finds a reducer that depends on the order.
struct OtherProcesses {
    /// The command line up to the tool's own arguments: an app that embeds the tool has arguments before them.
    private let call: [String]
    private let program: String
    private let libraries: [String]

    /// The replay in another process failed.
    struct Failure: Error {
        var message: String
    }

    /// - Returns: nil if the command line of this program is unknown.
    init?(arguments: [String], libraries: [String], commandLine: [String] = CommandLine.arguments) {
        guard let program = System.program, commandLine.count > arguments.count,
            Array(commandLine.suffix(arguments.count)) == arguments
        else { return nil }
        call = Array(commandLine.dropLast(arguments.count))
        self.program = program
        self.libraries = libraries
    }

    /// The number of other processes that replay this many steps. Two members of a set have the same order in about
    /// half of all processes, so a short history is replayed by more of them.
    static func count(steps: Int) -> Int {
        min(8, max(1, 20_000 / max(1, steps)))
    }

    /// The number of steps from one compared state to the next.
    static func stride(steps: Int) -> Int {
        max(1, steps / 100)
    }

    /// Compares the states with those of another process.
    ///
    /// - Returns: The first difference; nil if there is none.
    func divergence(
        from report: ReplayReport, _ session: any ReplaySession, _ reader: JournalReader
    ) throws -> Divergence? {
        guard let file = reader.file, var found = try divergence(report, session, file) else { return nil }
        if found.action == nil, let entry = try reader.entries(in: report.stream, from: found.step, limit: 1).first {
            found.action = ActionName.of(entry.action)
        }
        return found
    }

    private func divergence(
        _ report: ReplayReport, _ session: any ReplaySession, _ file: String
    ) throws -> Divergence? {
        let stride = Self.stride(steps: report.lastStep - report.firstStep)
        guard let found = try compare(report, session, file, every: stride) else { return nil }
        // The difference began after the last equal state: compare every step. It may not occur again.
        guard stride > 1, found.kind == .process, let nearer = try compare(report, session, file, every: 1),
            nearer.kind == .process
        else { return found }
        return nearer
    }

    private func compare(
        _ report: ReplayReport, _ session: any ReplaySession, _ file: String, every stride: Int
    ) throws -> Divergence? {
        let child = try start(report.stream, file, every: stride)
        var lastGood = report.firstStep
        var last: String?
        while let line = try readLine(child) {
            guard let node = JSON(line), case .number(let digits)? = node["step"], let step = Int(digits),
                case .text(let state)? = node["state"]
            else {
                last = line
                continue
            }
            // An app may have added steps meanwhile.
            guard step <= report.lastStep else { continue }
            let changes = try session.changes(fromState: state, to: step)
            guard changes.isEmpty else {
                return Divergence(kind: .process, step: step, lastGood: lastGood, action: nil, changes: changes)
            }
            lastGood = step
        }
        let status = child.wait()
        guard let last, let node = JSON(last), case .list(let replays)? = node["replays"], let only = replays.first
        else { throw Failure(message: "The other process ended with status \(status), without a report.") }
        if case .text(let error)? = only["error"] { throw Failure(message: "The other process reports: \(error)") }
        guard let divergence = only["divergence"], divergence != .null else { return nil }
        return try JSONCodec().decode(Divergence.self, from: divergence.json)
    }

    private func start(_ stream: String, _ file: String, every stride: Int) throws -> ChildProcess {
        // With deterministic hashing, the order would be the same in both processes.
        let environment = System.wholeEnvironment.filter { !$0.hasPrefix("SWIFT_DETERMINISTIC_HASHING=") }
        let line =
            call + ["verify", "--json", "--replay-only", "--states=\(stride)", "--stream=\(stream)"]
            + libraries.map { "--machine=\($0)" } + ["--", file]
        do throws(ChildProcess.Failure) {
            return try ChildProcess(program, line, environment: environment)
        } catch {
            throw Failure(message: "Another process cannot be started (\(Platform.message(forError: error.code))).")
        }
    }

    private func readLine(_ child: ChildProcess) throws -> String? {
        do throws(ChildProcess.Failure) { return try child.line() } catch {
            throw Failure(message: "Cannot read from the other process (\(Platform.message(forError: error.code))).")
        }
    }
}
