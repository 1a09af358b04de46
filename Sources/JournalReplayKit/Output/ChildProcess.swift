import JournalStore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A child process that reads lines from its standard input and writes lines to its standard output.
///
/// Both are one socket: writing to the socket of a process that has ended is an error, not a SIGPIPE.
final class ChildProcess: Sendable {
    /// The process could not be started, or it could not be written to or read from.
    struct Failure: Error {
        var code: Int32
    }

    private let process: pid_t
    private let socket: Int32
    /// What was read after the last line.
    private let rest = Lock<[UInt8]>([])
    private let isEnded = Lock(false)

    /// - Parameters:
    ///   - program: The path of the program.
    ///   - arguments: The arguments, beginning with the program's name.
    ///   - environment: The whole environment, as `NAME=value`.
    init(_ program: String, _ arguments: [String], environment: [[CChar]]) throws(Failure) {
        let (socket, end) = try ChildProcess.sockets()
        defer { close(end) }
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for standard in [System.standardInput, System.printedOutput] {
            posix_spawn_file_actions_adddup2(&actions, end, standard)
        }
        let words = arguments.map { strdup($0) } + [nil]
        let values = environment.map { strdup($0) } + [nil]
        defer { for text in words + values { free(text) } }
        var started: pid_t = 0
        #if canImport(Darwin)
            // There a socket is marked as not inherited only after it is made: the child inherits what is named here.
            var attributes: posix_spawnattr_t?
            posix_spawnattr_init(&attributes)
            defer { posix_spawnattr_destroy(&attributes) }
            posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_CLOEXEC_DEFAULT))
            // A descriptor that is closed would be an error.
            if fcntl(System.standardError, F_GETFD) >= 0 {
                posix_spawn_file_actions_addinherit_np(&actions, System.standardError)
            }
            let code = posix_spawn(&started, program, &actions, &attributes, words, values)
        #else
            let code = posix_spawn(&started, program, &actions, nil, words, values)
        #endif
        guard code == 0 else {
            close(socket)
            throw Failure(code: code)
        }
        process = started
        self.socket = socket
    }

    /// Two connected sockets that no other child inherits: it would keep them open after their owners have ended.
    private static func sockets() throws(Failure) -> (Int32, Int32) {
        var ends: [Int32] = [0, 0]
        #if canImport(Glibc)
            // https://man7.org/linux/man-pages/man2/socket.2.html
            let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let kind = SOCK_STREAM | SOCK_CLOEXEC
        #else
            let kind = SOCK_STREAM
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw Failure(code: errno) }
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            #if canImport(Darwin)
                // Elsewhere each call of `send` says so.
                var yes: Int32 = 1
                setsockopt(end, SOL_SOCKET, SO_NOSIGPIPE, &yes, socklen_t(MemoryLayout<Int32>.size))
            #endif
        }
        return (ends[0], ends[1])
    }

    deinit {
        if !isEnded.withLock({ $0 }) { kill(process, SIGKILL) }
        wait()
        close(socket)
    }

    /// Writes a line.
    func write(line: String) throws(Failure) {
        guard LocalSocket.send(Array((line + "\n").utf8), to: socket) else { throw Failure(code: errno) }
    }

    /// Reads the next line; nil after the last one.
    func line() throws(Failure) -> String? {
        var searched = 0
        while true {
            if let line = takeLine(after: &searched) { return line }
            guard let more = LocalSocket.receive(socket, upTo: 1 << 16) else {
                // A process that ends with unread requests resets the connection.
                if errno == ECONNRESET { return nil }
                throw Failure(code: errno)
            }
            guard !more.isEmpty else { return nil }
            rest.withLock { $0 += more }
        }
    }

    private func takeLine(after searched: inout Int) -> String? {
        let (line, end): (String?, Int) = rest.withLock { [searched] rest in
            guard let end = rest[searched...].firstIndex(of: UInt8(ascii: "\n")) else { return (nil, rest.count) }
            defer { rest.removeSubrange(...end) }
            return (String(decoding: rest[..<end], as: UTF8.self), 0)
        }
        searched = end
        return line
    }

    /// Waits for the process to end.
    ///
    /// - Returns: Its exit status; for a signal, 128 plus its number, as in a shell.
    @discardableResult
    func wait() -> Int32 {
        let wasEnded = isEnded.withLock { isEnded in
            defer { isEnded = true }
            return isEnded
        }
        guard !wasEnded else { return 0 }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { return -1 } }
        return System.exitStatus(ofWait: status)
    }
}
