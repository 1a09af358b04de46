#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A child process whose standard output is read line by line.
final class ChildProcess {
    /// The process could not be started, or its output could not be read.
    struct Failure: Error {
        var code: Int32
    }

    private let process: pid_t
    private let output: Int32
    private var buffer: [UInt8] = []
    private var isEnded = false

    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: The arguments, beginning with the program's name.
    ///   - environment: The whole environment, as `NAME=value`.
    init(_ program: String, _ arguments: [String], environment: [String]) throws(Failure) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw Failure(code: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], System.standardOutput)
        let words = arguments.map { strdup($0) } + [nil]
        let values = environment.map { strdup($0) } + [nil]
        defer { for text in words + values { free(text) } }
        var started: pid_t = 0
        let code = posix_spawn(&started, program, &actions, nil, words, values)
        close(ends[1])
        guard code == 0 else {
            close(ends[0])
            throw Failure(code: code)
        }
        process = started
        output = ends[0]
    }

    deinit {
        if !isEnded { kill(process, SIGKILL) }
        _ = wait()
        close(output)
    }

    /// Reads the next line; nil after the last one.
    func line() throws(Failure) -> String? {
        var from = 0
        while true {
            if let end = buffer[from...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { buffer.removeSubrange(...end) }
                return String(decoding: buffer[..<end], as: UTF8.self)
            }
            from = buffer.count
            var more = [UInt8](repeating: 0, count: 1 << 16)
            let count = read(output, &more, more.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw Failure(code: errno) }
            guard count > 0 else { return nil }
            buffer += more[..<count]
        }
    }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit status; for a signal, 128 plus its number, as in a shell.
    func wait() -> Int32 {
        guard !isEnded else { return 0 }
        isEnded = true
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
