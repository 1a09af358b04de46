#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A command that the shell runs, with a text on its standard input and in a file. What it writes goes to standard error.
struct ShellCommand {
    let command: String

    /// The command could not be run.
    struct Failure: Error {
        var code: Int32
    }

    /// Runs the command, and waits for its end.
    ///
    /// - Parameters:
    ///   - text: Its input.
    ///   - environment: Further variables, as `NAME=value`.
    ///   - fileVariable: The variable that gets the path of the file with the text.
    /// - Returns: Its exit status; for a signal, 128 plus its number.
    func run(input text: String, environment: [String], fileVariable: String) throws(Failure) -> Int32 {
        var path = Array("\(System.environment("TMPDIR") ?? "/tmp")/journal-state-XXXXXX".utf8CString)
        let file = mkstemp(&path)
        guard file >= 0 else { throw Failure(code: errno) }
        defer {
            close(file)
            unlink(path)
        }
        _ = fcntl(file, F_SETFD, FD_CLOEXEC)
        let code = Array(text.utf8).withUnsafeBytes { System.write($0, to: file) }
        guard code == 0, lseek(file, 0, SEEK_SET) == 0 else { throw Failure(code: code == 0 ? errno : code) }
        let name = path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        return try spawn(input: file, System.wholeEnvironment + environment + ["\(fileVariable)=\(name)"])
    }

    private func spawn(input: Int32, _ environment: [String]) throws(Failure) -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, input, System.standardInput)
        posix_spawn_file_actions_adddup2(&actions, System.standardError, System.standardOutput)
        let arguments = ["sh", "-c", command]
        let words = arguments.map { strdup($0) } + [nil]
        let values = environment.map { strdup($0) } + [nil]
        defer { for text in words + values { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sh", &actions, nil, words, values)
        guard code == 0 else { throw Failure(code: code) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw Failure(code: errno) } }
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
