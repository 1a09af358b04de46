// The one place of the tool that asks the operating system, so that no other file has an #if ladder.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

enum System {
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
