#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Restores the terminal before a crash ends the process: the code of a loaded machine can trap.
enum CrashGuard {
    private struct Memory {
        var settings = termios()
        var farewell: StaticString = ""
        var output: Int32 = 1
        var isInstalled = false
        let signals = CrashSignals()
    }

    // Written while no handler is installed; handlers only read it.
    nonisolated(unsafe) private static let memory = {
        let memory = UnsafeMutablePointer<Memory>.allocate(capacity: 1)
        memory.initialize(to: Memory())
        return memory
    }()

    /// - Parameter farewell: The text to send to the terminal at a crash.
    static func install(_ settings: termios, farewell: StaticString) {
        memory.pointee.settings = settings
        memory.pointee.farewell = farewell
        memory.pointee.output = System.standardOutput
        memory.pointee.isInstalled = true
        memory.pointee.signals.install { number in
            CrashGuard.giveBack()
            CrashGuard.memory.pointee.signals.passOn(number)
        }
    }

    static func remove() {
        memory.pointee.signals.remove()
        memory.pointee.isInstalled = false
    }

    /// Restores the terminal, if that is to be done. A handler may call it.
    static func giveBack() {
        guard memory.pointee.isInstalled else { return }
        let farewell = memory.pointee.farewell
        CrashSignals.write(farewell.utf8Start, farewell.utf8CodeUnitCount, to: memory.pointee.output)
        tcsetattr(System.standardInput, TCSANOW, &memory.pointee.settings)
    }
}
