// The one place of the tool that asks the operating system, so that no other file has an #if ladder.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

enum System {
    static let standardInput: Int32 = 0
    static let standardOutput: Int32 = 1
    static let standardError: Int32 = 2

    static let brokenPipe = EPIPE

    /// Writes all of it, however often the system takes only a part.
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
                // Somebody made the descriptor non-blocking: ssh does, for all who share the terminal.
                var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&entry, 1, -1)
            default: return errno
            }
        }
        return 0
    }

    /// Whether these bytes stand somewhere in others.
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

    /// The file of this program.
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

    /// All of the environment, `NAME=value`.
    static var wholeEnvironment: [String] {
        var all: [String] = []
        var next = environ
        while let text = next.pointee {
            all.append(String(cString: text))
            next += 1
        }
        return all
    }

    /// What came of loading a library.
    enum Loaded {
        case found(UnsafeMutableRawPointer)
        case noSymbol
        case failed(String)
    }

    /// Loads a library for good, and looks for a function in it.
    static func load(_ path: String, symbol: String) -> Loaded {
        guard let library = dlopen(path, RTLD_NOW | RTLD_LOCAL) else {
            return .failed(dlerror().map { String(cString: $0) } ?? "unknown")
        }
        return dlsym(library, symbol).map { .found($0) } ?? .noSymbol
    }

    /// A reader that goes away ends the process, as it does any other tool, even if the parent had that switched off.
    static func endWithClosedPipe() {
        signal(SIGPIPE, SIG_DFL)
    }

    static func exit(_ status: Int32) -> Never {
        #if canImport(Darwin)
            Darwin.exit(status)
        #elseif canImport(Musl)
            Musl.exit(status)
        #else
            Glibc.exit(status)
        #endif
    }
}
