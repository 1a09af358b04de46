import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Turns signals into bytes of a pipe, so that one poll waits for signals and keys: https://cr.yp.to/docs/selfpipe.html
///
/// A signal handler may do very little, so it only writes the signal's number to the pipe. The process has one pipe,
/// because it has one set of handlers.
final class SignalPipe: Sendable {
    static let changedSize = SIGWINCH
    static let continued = SIGCONT
    static let stop = SIGTSTP
    /// The signals that end the process if they are not handled.
    static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    let readEnd: Int32
    private let writeEnd: Int32
    private let before = Mutex<[(signal: Int32, action: sigaction)]>([])
    /// The signals that the thread blocked before.
    private let mask: sigset_t

    /// The descriptor that handlers write to; -1 while there is no pipe.
    private static let target = Atomic<Int32>(-1)

    /// Creates the pipe; nil if the process has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // A child inherits the signals that its parent blocks. With these blocked, no key and no kill would end this.
        mask = SignalPipe.letThrough(
            SignalPipe.endings + [SignalPipe.changedSize, SignalPipe.continued, SignalPipe.stop])
        readEnd = ends[0]
        writeEnd = ends[1]
        for end in ends {
            // A full pipe must not block a handler, an empty pipe must not block the reader, and no child inherits it.
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        SignalPipe.target.store(writeEnd, ordering: .sequentiallyConsistent)
    }

    deinit {
        unhandle()
        var mask = mask
        pthread_sigmask(SIG_SETMASK, &mask, nil)
        SignalPipe.target.store(-1, ordering: .sequentiallyConsistent)
        close(writeEnd)
        close(readEnd)
    }

    /// From now on, these signals are only written to the pipe. SIGHUP stays ignored if the parent has asked for that, as
    /// `nohup` does.
    func handle(_ signals: [Int32]) {
        before.withLock { before in
            for number in signals {
                var action = sigaction()
                sigaction(number, nil, &action)
                if number == SIGHUP, System.ignores(action) { continue }
                before.append((number, action))
                signal(number) { SignalPipe.note($0) }
            }
        }
    }

    /// Restores the previous handlers.
    func unhandle() {
        before.withLock { before in
            for index in before.indices.reversed() { sigaction(before[index].signal, &before[index].action, nil) }
            before = []
        }
    }

    /// Wakes the thread that waits for the pipe; any thread may call this.
    func wake() {
        SignalPipe.note(0)
    }

    /// The numbers of the signals since the last call.
    func numbers() -> Set<Int32> {
        Set((System.read(readEnd) ?? []).map(Int32.init))
    }

    /// - Returns: The signals that were blocked before.
    @discardableResult
    static func letThrough(_ signals: [Int32]) -> sigset_t {
        var wanted = sigset_t()
        var before = sigset_t()
        sigemptyset(&wanted)
        for signal in signals { sigaddset(&wanted, signal) }
        pthread_sigmask(SIG_UNBLOCK, &wanted, &before)
        return before
    }

    private static func note(_ number: Int32) {
        // The interrupted code may be about to read errno.
        let code = errno
        var byte = UInt8(truncatingIfNeeded: number)
        #if canImport(Darwin)
            _ = Darwin.write(target.load(ordering: .relaxed), &byte, 1)
        #elseif canImport(Musl)
            _ = Musl.write(target.load(ordering: .relaxed), &byte, 1)
        #else
            _ = Glibc.write(target.load(ordering: .relaxed), &byte, 1)
        #endif
        errno = code
    }
}
