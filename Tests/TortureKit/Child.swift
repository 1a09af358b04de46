import Foundation

/// A child process whose standard output is read as it comes.
///
/// Not Foundation's `Process`: that waits for all who inherit from the child as well, and a child that forked and was
/// killed is just what is wanted here.
package final class Child {
    package let identifier: Int32
    private let output: Int32
    private var input: Int32
    private var buffer: [UInt8] = []
    private var hasEnded = false

    package struct Failure: Error { package var message: String }

    package init(_ program: String, _ arguments: [String]) throws {
        var toChild: [Int32] = [-1, -1]
        var fromChild: [Int32] = [-1, -1]
        guard pipe(&toChild) == 0, pipe(&fromChild) == 0 else {
            throw Failure(message: String(cString: strerror(errno)))
        }
        // Nobody else may inherit our ends: then the child would never see the end of its input.
        for end in toChild + fromChild { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, toChild[0], STDIN_FILENO)
        posix_spawn_file_actions_adddup2(&actions, fromChild[1], STDOUT_FILENO)
        var words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var identifier: pid_t = 0
        let code = posix_spawn(&identifier, program, &actions, nil, &words, environ)
        close(toChild[0])
        close(fromChild[1])
        (self.identifier, input, output) = (identifier, toChild[1], fromChild[0])
        guard code == 0 else {
            hasEnded = true
            throw Failure(message: "\(program): \(String(cString: strerror(code)))")
        }
    }

    /// Nothing that was started here is left running.
    deinit {
        if !hasEnded {
            kill()
            wait()
        }
        closeInput()
        close(output)
    }

    /// The executable of this name, built into the same folder as what runs now, or one above it.
    package static func program(_ name: String) -> String {
        var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        while folder.path != "/" {
            let program = folder.appendingPathComponent(name).path
            if FileManager.default.isExecutableFile(atPath: program) { return program }
            folder.deleteLastPathComponent()
        }
        return name
    }

    /// Waits for the next whole line; nil when the child has closed its output.
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

    /// All whole lines until the child has closed its output.
    package func remainingLines() -> [String] {
        var lines: [String] = []
        while let line = line() { lines.append(line) }
        return lines
    }

    package func kill() {
        if !hasEnded { _ = Foundation.kill(identifier, SIGKILL) }
    }

    /// Closes the child's standard input.
    package func closeInput() {
        if input >= 0 { close(input) }
        input = -1
    }

    package func wait() {
        var status: Int32 = 0
        while !hasEnded, waitpid(identifier, &status, 0) < 0, errno == EINTR {}
        hasEnded = true
    }
}
