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

    /// Runs the command, and waits for its end. Meanwhile Control-C ends the command and not this process, which removes the file.
    ///
    /// - Parameters:
    ///   - text: Its input.
    ///   - environment: Further variables, as `NAME=value`.
    ///   - fileVariable: The variable that gets the path of the file with the text.
    /// - Returns: Its exit status; for a signal, 128 plus its number.
    func run(input text: String, environment: [String], fileVariable: String) throws(Failure) -> Int32 {
        try ShellCommand.ignoringInterrupts { ignored throws(Failure) in
            try run(input: text, environment, fileVariable, defaults: ignored)
        }
    }

    private func run(
        input text: String, _ environment: [String], _ fileVariable: String, defaults: [Int32]
    ) throws(Failure) -> Int32 {
        let folder = System.environment("TMPDIR").flatMap { $0.isEmpty ? nil : $0 } ?? "/tmp"
        var path = Array("\(folder)/journal-state-XXXXXX".utf8CString)
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
        let variables = System.wholeEnvironment(adding: environment + ["\(fileVariable)=\(name)"])
        return try spawn(input: file, variables, defaults: defaults)
    }

    /// Ignores the signals of the keys that end a command, as https://man7.org/linux/man-pages/man3/system.3.html does.
    ///
    /// - Parameter body: Gets the signals that were not ignored before: the command must not inherit that.
    private static func ignoringInterrupts<Value>(
        _ body: (_ ignored: [Int32]) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        var before: [(signal: Int32, action: sigaction)] = []
        var ignored: [Int32] = []
        for number in [SIGINT, SIGQUIT] {
            var action = sigaction()
            sigaction(number, nil, &action)
            before.append((number, action))
            let handler = signal(number, SIG_IGN)
            if unsafeBitCast(handler, to: Int.self) != unsafeBitCast(SIG_IGN, to: Int.self) { ignored.append(number) }
        }
        defer { for index in before.indices { sigaction(before[index].signal, &before[index].action, nil) } }
        return try body(ignored)
    }

    /// - Parameter defaults: The signals that have their default action in the command.
    private func spawn(input: Int32, _ environment: [[CChar]], defaults: [Int32]) throws(Failure) -> Int32 {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        // A thread that runs tasks can block signals, and the command would inherit that.
        posix_spawnattr_setsigmask(&attributes, &signals)
        for number in defaults { sigaddset(&signals, number) }
        posix_spawnattr_setsigdefault(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        posix_spawn_file_actions_adddup2(&actions, input, System.standardInput)
        posix_spawn_file_actions_adddup2(&actions, System.standardError, System.standardOutput)
        let arguments = ["sh", "-c", command]
        let words = arguments.map { strdup($0) } + [nil]
        let values = environment.map { strdup($0) } + [nil]
        defer { for text in words + values { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, values)
        guard code == 0 else { throw Failure(code: code) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw Failure(code: errno) } }
        return System.exitStatus(ofWait: status)
    }
}
