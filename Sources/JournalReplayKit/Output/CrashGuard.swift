#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Gives the terminal back before a crash ends the process: code of a machine that was loaded can trap.
///
/// Afterwards all goes on as without it: a backtrace is written, a core is dumped, the shell is told of the signal.
enum CrashGuard {
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    private struct Memory {
        var settings = termios()
        var farewell: StaticString = ""
        /// By the signal's number, which is less than 32 for all of these.
        let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
    }

    // A handler can neither allocate nor lock. This is written while no handler is there, and only read by handlers.
    nonisolated(unsafe) private static let memory = {
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory())
        memory.pointee.before.initialize(repeating: sigaction(), count: 32)
        return memory
    }()

    /// - Parameter farewell: what the terminal is to be sent.
    static func install(_ settings: termios, farewell: StaticString) {
        memory.pointee.settings = settings
        memory.pointee.farewell = farewell
        for number in signals {
            sigaction(number, nil, memory.pointee.before + Int(number))
            signal(number) { CrashGuard.giveBack($0) }
        }
    }

    static func remove() {
        for number in signals { sigaction(number, memory.pointee.before + Int(number), nil) }
    }

    /// Calls nothing but what https://man7.org/linux/man-pages/man7/signal-safety.7.html allows.
    private static func giveBack(_ number: Int32) {
        let farewell = memory.pointee.farewell
        #if canImport(Darwin)
            _ = Darwin.write(System.standardOutput, farewell.utf8Start, farewell.utf8CodeUnitCount)
        #elseif canImport(Musl)
            _ = Musl.write(System.standardOutput, farewell.utf8Start, farewell.utf8CodeUnitCount)
        #else
            _ = Glibc.write(System.standardOutput, farewell.utf8Start, farewell.utf8CodeUnitCount)
        #endif
        tcsetattr(System.standardInput, TCSANOW, &memory.pointee.settings)
        sigaction(number, memory.pointee.before + Int(number), nil)
        // It arrives when this returns.
        raise(number)
    }
}
