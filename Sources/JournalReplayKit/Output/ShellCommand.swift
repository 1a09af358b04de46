#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The signal that came while a command ran; 0 for none. `unsafe`: a signal handler sets it. Commands run one after the
/// other.
nonisolated(unsafe) private var interruption: sig_atomic_t = 0

/// The command that runs, for the signal handler: its process, or its process group as a negative number; 0 for none.
/// `unsafe`: set only while no other command runs.
nonisolated(unsafe) private var runningCommand: pid_t = 0

/// A command that the shell runs, with a text on its standard input and in a file. What it writes goes to standard
/// error.
struct ShellCommand {
    let command: String

    /// The command could not be run.
    struct Failure: Error {
        var code: Int32
    }

    /// Runs the command, and waits for its end. Ctrl-C, SIGTERM or SIGHUP meanwhile ends the command, removes the
    /// file, and ends this process.
    ///
    /// In the foreground of a terminal, the command is in the group of this process, so that it gets the keys and may
    /// read from the terminal. Otherwise it has a process group of its own, and all processes in it get the signal.
    ///
    /// - Parameters:
    ///   - text: Its input.
    ///   - environment: Further variables, as `NAME=value`.
    ///   - fileVariable: The variable that gets the path of the file with the text.
    /// - Returns: Its exit status; for a signal, 128 plus its number.
    func run(input text: String, environment: [String], fileVariable: String) throws(Failure) -> Int32 {
        interruption = 0
        let result = Result { () throws(Failure) in
            try ShellCommand.notingInterrupts { () throws(Failure) in try run(input: text, environment, fileVariable) }
        }
        if interruption != 0 { System.endAsBySignal(Int32(interruption)) }
        return try result.get()
    }

    private func run(
        input text: String, _ environment: [String], _ fileVariable: String
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
        return try spawn(input: file, variables)
    }

    /// Notes the signals that end this process, unless they are ignored, and passes them on.
    private static func notingInterrupts<Value>(_ body: () throws(Failure) -> Value) throws(Failure) -> Value {
        var before: [(signal: Int32, action: sigaction)] = []
        for number in [SIGINT, SIGQUIT, SIGTERM, SIGHUP] {
            var action = sigaction()
            sigaction(number, nil, &action)
            before.append((number, action))
            let handler = signal(number) { number in
                interruption = sig_atomic_t(number)
                ShellCommand.passOn(number)
            }
            if unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
        defer { for index in before.indices { sigaction(before[index].signal, &before[index].action, nil) } }
        return try body()
    }

    /// Passes a signal on that only this process got. A key sends its signal to the whole group of this process. Also
    /// called by a signal handler.
    private static func passOn(_ number: Int32) {
        let isOfKey = number == SIGINT || number == SIGQUIT
        if runningCommand < 0 || runningCommand > 0 && !isOfKey { kill(runningCommand, number) }
    }

    private func spawn(input: Int32, _ environment: [[CChar]]) throws(Failure) -> Int32 {
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
        var flags = POSIX_SPAWN_SETSIGMASK
        let hasOwnGroup = !System.isInForeground
        if hasOwnGroup {
            posix_spawnattr_setpgroup(&attributes, 0)
            flags |= POSIX_SPAWN_SETPGROUP
        }
        posix_spawnattr_setflags(&attributes, Int16(flags))
        posix_spawn_file_actions_adddup2(&actions, input, System.standardInput)
        posix_spawn_file_actions_adddup2(&actions, System.standardError, System.printedOutput)
        // Without the dashes, a command that begins with one would be an option.
        let arguments = ["sh", "-c", "--", command]
        let words = arguments.map { strdup($0) } + [nil]
        let values = environment.map { strdup($0) } + [nil]
        defer { for text in words + values { free(text) } }
        var process: pid_t = 0
        let code = posix_spawn(&process, "/bin/sh", &actions, &attributes, words, values)
        guard code == 0 else { throw Failure(code: code) }
        runningCommand = hasOwnGroup ? -process : process
        defer { runningCommand = 0 }
        // One that came before the handler knew the command.
        if interruption != 0 { ShellCommand.passOn(Int32(interruption)) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 { guard errno == EINTR else { throw Failure(code: errno) } }
        return System.exitStatus(ofWait: status)
    }
}
