import CFork
import Foundation
import JournalStore

/// A child process whose output is read as it arrives.
///
/// Not Foundation's `Process`, which also waits for processes that inherited the child's pipes, while the tests kill
/// children that have forked. It also fails if more than 1,023 files are open.
package final class Child {
    package let identifier: Int32
    let output: Int32
    let errors: Int32?
    private var input: Int32
    var buffer: [UInt8] = []
    private var status: Int32?

    private static let all = Lock<Set<Int32>>([])

    /// The children that were started and not yet waited for.
    package static var running: Set<Int32> { all.withLock { $0 } }

    package struct Failure: Error { package var message: String }

    /// - Parameters:
    ///   - environment: added to this process's environment; replaces variables of the same name.
    ///   - keepsErrors: whether its standard error goes to `outcome` instead of this process's standard error.
    ///   - hasOwnGroup: whether it gets a process group of its own.
    package init(
        _ program: String, _ arguments: [String], environment: [String: String] = [:], keepsErrors: Bool = false,
        hasOwnGroup: Bool = false
    ) throws {
        let pipes = try Self.pipes(keepsErrors ? 3 : 2)
        let (childInput, input) = pipes[0]
        let (output, childOutput) = pipes[1]
        let (errors, childErrors) = keepsErrors ? pipes[2] : (nil, nil) as (Int32?, Int32?)
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, childInput, STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, childOutput, STDOUT_FILENO)
        if let childErrors { posix_spawn_file_actions_adddup2(&actions, childErrors, STDERR_FILENO) }
        // The threads that run tests block signals, and a child would inherit that: `kill` would have no effect.
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // A background process ignores SIGINT, among others, and a child would inherit that too.
        var usual = sigset_t()
        sigemptyset(&usual)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGPIPE] { sigaddset(&usual, number) }
        posix_spawnattr_setsigdefault(&attributes, &usual)
        #if canImport(Darwin)
            // There a pipe is marked as not inherited only after it is made: the child inherits what is named here.
            let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_CLOEXEC_DEFAULT
            if childErrors == nil { posix_spawn_file_actions_addinherit_np(&actions, STDERR_FILENO) }
        #else
            let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        #endif
        posix_spawnattr_setflags(&attributes, Int16(hasOwnGroup ? flags | POSIX_SPAWN_SETPGROUP : flags))
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        var values =
            ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in words + values { free(text) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, &attributes, &words, &values)
        for end in [childInput, childOutput, childErrors] { if let end { close(end) } }
        (self.identifier, self.input, self.output, self.errors) = (identifier, input, output, errors)
        guard code == 0 else {
            status = -1
            throw Failure(message: "\(program): \(String(cString: strerror(code)))")
        }
        Self.all.withLock { _ = $0.insert(identifier) }
    }

    /// Opens this many pipes. No other child inherits them: it would keep a pipe open after this child has ended.
    private static func pipes(_ count: Int) throws -> [(reading: Int32, writing: Int32)] {
        var pipes: [(reading: Int32, writing: Int32)] = []
        for _ in 0..<count {
            var ends: [Int32] = [-1, -1]
            guard cfork_pipe(&ends) == 0 else {
                let failure = Failure(message: String(cString: strerror(errno)))
                for pipe in pipes { for end in [pipe.reading, pipe.writing] { close(end) } }
                throw failure
            }
            pipes.append((ends[0], ends[1]))
        }
        return pipes
    }

    /// Leaves no child running.
    deinit {
        kill()
        closeInput()
        close(output)
        if let errors { close(errors) }
    }

    /// The executable of this name in the folder of the running test bundle, or in one above it.
    package static func program(_ name: String) -> String {
        let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
        var folder = URL(fileURLWithPath: bundle).deletingLastPathComponent()
        while folder.path != "/" {
            let program = folder.appendingPathComponent(name).path
            var isFolder: ObjCBool = false
            if FileManager.default.fileExists(atPath: program, isDirectory: &isFolder), !isFolder.boolValue {
                return program
            }
            folder.deleteLastPathComponent()
        }
        return name
    }

    /// Waits for the next complete line; nil when the child has closed its output.
    package func line() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeFirst(end + 1) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            var more = [UInt8](repeating: 0, count: 65_536)
            let count = read(output, &more, more.count)
            guard count > 0 else { return nil }
            buffer += more[..<count]
        }
    }

    /// Reads all complete lines until the child closes its output.
    package func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    /// Kills the child and waits until it has ended. The testing library waits for any child of this process, without a pause
    /// while there is one that nobody has waited for.
    package func kill() {
        signal(SIGKILL)
        wait()
    }

    package func signal(_ number: Int32) {
        if status == nil { _ = Foundation.kill(identifier, number) }
    }

    /// Closes the child's standard input.
    package func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    /// Waits until the child has ended. If it writes more than a pipe holds, read that first.
    ///
    /// - Returns: the exit status, or the negated number of the signal that ended it.
    @discardableResult
    package func wait() -> Int32 {
        if let status { return status }
        var ending: Int32 = 0
        while waitpid(identifier, &ending, 0) < 0 {
            guard errno == EINTR else { preconditionFailure("Something else waited for process \(identifier).") }
        }
        let signal = ending & 0x7F
        let status = signal == 0 ? ending >> 8 & 0xFF : -signal
        self.status = status
        Self.all.withLock { _ = $0.remove(identifier) }
        return status
    }
}
