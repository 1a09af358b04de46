// The tool's system calls in one place, so that few other files need an #if ladder.

import JournalStore

#if canImport(Darwin)
    import Darwin
    // For the path of this program.
    import MachO
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

enum System {
    static let standardInput: Int32 = 0
    /// Where the tool writes. Once ``reserveOutput()`` was called, this is not ``printedOutput``.
    static var standardOutput: Int32 { reserved.withLock { $0 } ?? printedOutput }
    /// Where code prints that knows nothing of the tool, such as a reducer; and the output of a child.
    static let printedOutput: Int32 = 1
    static let standardError: Int32 = 2

    static let brokenPipe = EPIPE

    /// Writes all bytes, even if the system accepts only a part at a time.
    ///
    /// - Returns: 0, or the error number.
    static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> Int32 {
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = UnsafeRawBufferPointer(rebasing: rest)
            #if canImport(Darwin)
                let count = Darwin.write(descriptor, part.baseAddress, part.count)
            #elseif canImport(Musl)
                let count = Musl.write(descriptor, part.baseAddress, part.count)
            #else
                let count = Glibc.write(descriptor, part.baseAddress, part.count)
            #endif
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            case EAGAIN, EWOULDBLOCK:
                // Another process made the descriptor non-blocking, as ssh does for all that share the terminal.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            default: return errno
            }
        }
        return 0
    }

    /// Whether `bytes` contain `wanted`.
    static func contains(_ bytes: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let first = wanted.first else { return true }
        var rest = bytes[...]
        while rest.count >= wanted.count {
            let view = UnsafeBufferPointer(rebasing: rest)
            guard let address = view.baseAddress, let found = memchr(address, Int32(first), view.count) else {
                return false
            }
            let offset = found - UnsafeMutableRawPointer(mutating: UnsafeRawPointer(address))
            rest = rest.dropFirst(offset)
            if rest.starts(with: wanted) { return true }
            rest = rest.dropFirst()
        }
        return false
    }

    static func isTerminal(_ descriptor: Int32) -> Bool {
        isatty(descriptor) == 1
    }

    static func environment(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// The path of this program.
    static var program: String? {
        #if canImport(Darwin)
            var size: UInt32 = 0
            _ = _NSGetExecutablePath(nil, &size)
            var path = [CChar](repeating: 0, count: Int(size))
            guard _NSGetExecutablePath(&path, &size) == 0 else { return nil }
            return path.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } }
        #else
            // https://man7.org/linux/man-pages/man5/proc_pid_exe.5.html
            return "/proc/self/exe"
        #endif
    }

    /// The whole environment for a child, as `NAME=value`, byte for byte: a value need not be UTF-8.
    ///
    /// - Parameters:
    ///   - name: The variable to leave out.
    ///   - more: Further variables.
    static func wholeEnvironment(without name: String? = nil, adding more: [String] = []) -> [[CChar]] {
        let unwanted = name.map { ($0 + "=").utf8.map { CChar(bitPattern: $0) } }
        var all: [[CChar]] = []
        var next = environ
        while let text = next.pointee {
            all.append(Array(UnsafeBufferPointer(start: text, count: strlen(text) + 1)))
            next += 1
        }
        if let unwanted { all.removeAll { $0.starts(with: unwanted) } }
        return all + more.map { Array($0.utf8CString) }
    }

    /// Whether a word is an argument of this process that is not UTF-8. Swift has replaced the bytes that it cannot
    /// decode.
    static func isMisread(_ word: String) -> Bool {
        guard word.unicodeScalars.contains("\u{FFFD}") else { return false }
        return (0..<Int(CommandLine.argc)).contains { index in
            guard let bytes = CommandLine.unsafeArgv[index] else { return false }
            return String(validatingCString: bytes) == nil && String(cString: bytes) == word
        }
    }

    /// The exit status from what waitpid(2) returns; for a signal, 128 plus its number, as in a shell.
    static func exitStatus(ofWait status: Int32) -> Int32 {
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }

    /// The result of loading a library.
    enum Loaded {
        case found(UnsafeMutableRawPointer)
        case noSymbol
        case failed(String)
    }

    /// Loads a library, which is never unloaded, and looks up a function in it.
    static func load(_ path: String, symbol: String) -> Loaded {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            return .failed(dlerror().map { String(cString: $0) } ?? "unknown")
        }
        return dlsym(library, symbol).map { .found($0) } ?? .noSymbol
    }

    /// Opens those of the standard streams that are closed, in a way in which using them stays the error that it was.
    /// Otherwise the next file, or the socket to another process, would get the number of such a stream, and what is
    /// printed would go there.
    static func openStandardStreams() {
        // In this order, as the system returns the lowest number that is free.
        for (stream, mode) in [(standardInput, O_WRONLY), (printedOutput, O_RDONLY), (standardError, O_RDONLY)]
        where fcntl(stream, F_GETFD) < 0 {
            _ = open("/dev/null", mode)
        }
    }

    /// Lets a closed pipe end the process, as with any other tool, even if the parent process ignored SIGPIPE.
    static func endWithClosedPipe() {
        signal(SIGPIPE, SIG_DFL)
    }

    /// Lets Ctrl-\\ end the process: where Swift prints backtraces, the process would go on after one.
    static func endWithQuit() {
        var action = sigaction()
        sigaction(SIGQUIT, nil, &action)
        if !ignores(action) { signal(SIGQUIT, SIG_DFL) }
    }

    /// Whether a signal is ignored.
    static func ignores(_ action: sigaction) -> Bool {
        #if canImport(Darwin)
            let handler = action.__sigaction_u.__sa_handler
        #elseif canImport(Musl)
            let handler = action.__sa_handler.sa_handler
        #else
            let handler = action.__sigaction_handler.sa_handler
        #endif
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }

    /// Lets a write beyond the largest size that a file may have fail, so that what was written is removed.
    static func surviveLongFiles() {
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Lets a write to a connection that is closed fail, and not end the process.
    static func surviveClosedPipe() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Runs a body in which a write to a closed pipe fails, and does not end the process.
    static func survivingClosedPipe<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        let before = signal(SIGPIPE, SIG_IGN)
        defer { _ = signal(SIGPIPE, before) }
        return try await body()
    }

    /// Reserves standard output for the caller: what other code prints goes to standard error from now on.
    ///
    /// - Returns: Whether it was; not if there are no descriptors left.
    @discardableResult
    static func reserveOutput() -> Bool {
        reserved.withLock { reserved in
            if reserved != nil { return true }
            let descriptor = fcntl(printedOutput, F_DUPFD_CLOEXEC, 3)
            guard descriptor >= 0 else { return false }
            // What was printed before.
            fflush(nil)
            guard dup2(standardError, printedOutput) >= 0 else {
                close(descriptor)
                return false
            }
            reserved = descriptor
            return true
        }
    }

    private static let reserved = Lock<Int32?>(nil)

    /// Drops what other code prints: it would spoil a screen.
    ///
    /// - Returns: Where it went before, for ``allowPrints(to:)``; nil if there are no descriptors left.
    static func dropPrints() -> Int32? {
        fflush(nil)
        let before = fcntl(printedOutput, F_DUPFD_CLOEXEC, 3)
        let null = open("/dev/null", O_WRONLY | O_CLOEXEC)
        if before >= 0, null >= 0, reserveOutput() { dup2(null, printedOutput) }
        if null >= 0 { close(null) }
        return before >= 0 ? before : nil
    }

    static func allowPrints(to before: Int32) {
        fflush(nil)
        dup2(before, printedOutput)
        close(before)
    }

    static func exit(_ status: Int32) -> Never {
        ExitGuard.disarm()
        #if canImport(Darwin)
            Darwin.exit(status)
        #elseif canImport(Musl)
            Musl.exit(status)
        #else
            Glibc.exit(status)
        #endif
    }
}
