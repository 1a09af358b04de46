import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Ends the process with an error if code of a machine, or another thread of the app, calls `exit` while a command runs: the
/// command would seem to have succeeded.
enum ExitGuard {
    private static let isArmed = Atomic(false)
    private static let isRegistered: Bool = atexit { ExitGuard.end() } == 0

    /// Until ``System/exit(_:)``.
    static func arm() {
        isArmed.store(isRegistered, ordering: .relaxed)
    }

    static func disarm() {
        isArmed.store(false, ordering: .relaxed)
    }

    private static func end() {
        guard isArmed.load(ordering: .relaxed) else { return }
        CrashGuard.giveBack()
        // What was printed last says why, perhaps.
        fflush(nil)
        let text: StaticString =
            "\nError: Code of a machine, its library or this app has called exit() before the command was finished.\n"
        CrashSignals.write(text.utf8Start, text.utf8CodeUnitCount, to: System.standardError)
        _exit(ExitCode.failed.rawValue)
    }
}
