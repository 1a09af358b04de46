#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Restores the terminal before a crash ends the process: the code of a loaded machine can trap.
///
/// Then the crash takes its usual course: a backtrace is written, a core is dumped, the shell sees the signal.
enum CrashGuard {
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    private struct Memory {
        var settings = termios()
        var farewell: StaticString = ""
        /// The previous actions, indexed by the signal's number, which is less than 32 for all of these.
        let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)
    }

    // A handler can neither allocate nor lock. This is written while no handler is installed; handlers only read it.
    nonisolated(unsafe) private static let memory = {
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory())
        memory.pointee.before.initialize(repeating: sigaction(), count: 32)
        return memory
    }()

    /// - Parameter farewell: The text to send to the terminal at a crash.
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

    /// Calls only functions that https://man7.org/linux/man-pages/man7/signal-safety.7.html allows.
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
        // The signal is delivered when this handler returns.
        raise(number)
    }
}
