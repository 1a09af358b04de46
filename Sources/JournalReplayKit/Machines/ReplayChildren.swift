import JournalStore

/// Other processes of this program that replay streams. Each is started when it is first needed, serves one stream
/// after the other, and is replaced when a reducer has crashed it.
struct ReplayChildren {
    /// The command line up to the tool's own arguments: an app that embeds the tool has arguments before them.
    private let call: [String]
    private let program: String
    private let libraries: [String]
    private var children: [Int: ReplayChild] = [:]

    /// - Parameter arguments: The tool's own arguments.
    /// - Returns: nil if the command line of this program is unknown.
    init?(arguments: Arguments, commandLine: [String] = CommandLine.arguments) {
        let own = arguments.line
        guard let program = System.program, commandLine.count > own.count, Array(commandLine.suffix(own.count)) == own
        else { return nil }
        self.init(
            program: program, call: Array(commandLine.dropLast(own.count)), libraries: arguments.all(Machines.option))
    }

    /// The child with this number.
    mutating func child(_ number: Int) throws -> ReplayChild {
        if let known = children[number], known.isReady { return known }
        let new = try start()
        children[number] = new
        return new
    }

    init(program: String, call: [String], libraries: [String] = []) {
        (self.program, self.call, self.libraries) = (program, call, libraries)
    }

    private func start() throws -> ReplayChild {
        // A backtrace takes seconds, and the report names the step. Who wants backtraces sets the variable.
        let isSet = System.environment(Self.backtraces) != nil
        // With deterministic hashing, sets and dictionaries would have the same order in all processes.
        let environment = System.wholeEnvironment(
            without: "SWIFT_DETERMINISTIC_HASHING", adding: isSet ? [] : ["\(Self.backtraces)=enable=no"])
        let line = call + [ReplayChild.command] + libraries.map { "--\(Machines.option.name)=\($0)" }
        do throws(ChildProcess.Failure) {
            return ReplayChild(try ChildProcess(program, line, environment: environment))
        } catch {
            throw JournalError.system(
                .inputOutput, "Another process cannot be started", advice: "Close other programs, then try again.",
                file: nil, number: error.code)
        }
    }

    private static let backtraces = "SWIFT_BACKTRACE"
}
