#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The signals of a crash, and the handlers that they had before.
///
/// A handler can neither allocate nor lock: it may call only functions that
/// https://man7.org/linux/man-pages/man7/signal-safety.7.html allows, and those of this type that say so.
struct CrashSignals {
    private static let numbers = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// The previous actions, indexed by the signal's number, which is less than 32 for all of these.
    private let before = UnsafeMutablePointer<sigaction>.allocate(capacity: 32)

    init() {
        before.initialize(repeating: sigaction(), count: 32)
    }

    func install(_ handler: @escaping @convention(c) (Int32) -> Void) {
        var action = sigaction()
        // On the stack for signals, if the thread has one: its own may be used up.
        action.sa_flags = SA_ONSTACK
        #if canImport(Darwin)
            action.__sigaction_u.__sa_handler = handler
        #elseif canImport(Musl)
            action.__sa_handler.sa_handler = handler
        #else
            action.__sigaction_handler.sa_handler = handler
        #endif
        for number in Self.numbers { sigaction(number, &action, before + Int(number)) }
    }

    func remove() {
        for number in Self.numbers { sigaction(number, before + Int(number), nil) }
    }

    /// Runs a body on this thread with a stack for signals, so that a handler can run when a reducer has used up the stack
    /// of the thread.
    static func withStackForSignals(_ body: () -> Void) {
        let size = 1 << 16
        var (own, before) = (stack_t(), stack_t())
        own.ss_sp = .allocate(byteCount: size, alignment: 16)
        own.ss_size = numericCast(size)
        sigaltstack(&own, &before)
        body()
        sigaltstack(&before, nil)
        own.ss_sp.deallocate()
    }

    /// For a handler: lets the crash take its usual course. A backtrace is written, a core is dumped, the shell sees
    /// the signal.
    func passOn(_ number: Int32) {
        sigaction(number, before + Int(number), nil)
        // The signal is delivered when the handler returns.
        raise(number)
    }

    /// For a handler: writes some bytes, as far as the system takes them at once.
    static func write(_ start: UnsafePointer<UInt8>, _ count: Int, to descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.write(descriptor, start, count)
        #elseif canImport(Musl)
            _ = Musl.write(descriptor, start, count)
        #else
            _ = Glibc.write(descriptor, start, count)
        #endif
    }
}
