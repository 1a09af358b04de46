import Synchronization

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Signals, as bytes that can be waited for together with keys: https://cr.yp.to/docs/selfpipe.html
///
/// A handler may do next to nothing, so it writes the signal's number into a pipe. There is one pipe for the process, as
/// there is one set of handlers.
final class SignalPipe: Sendable {
    static let changedSize = SIGWINCH
    static let continued = SIGCONT
    static let stop = SIGTSTP
    /// What ends the process, unless something is done about it.
    static let endings = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]

    let readEnd: Int32
    private let writeEnd: Int32
    private let before = Mutex<[(signal: Int32, action: sigaction)]>([])
    /// What the thread did not let through until then.
    private let mask: sigset_t

    /// Where handlers write; no descriptor while there is no pipe.
    private static let target = Atomic<Int32>(-1)

    /// nil where the process has no descriptors left.
    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        // A parent can have held signals back, from all it starts. Then no key and no kill would end this.
        mask = SignalPipe.letThrough(
            SignalPipe.endings + [SignalPipe.changedSize, SignalPipe.continued, SignalPipe.stop])
        readEnd = ends[0]
        writeEnd = ends[1]
        for end in ends {
            // A full pipe must not hold up a handler, an empty one not the reader, and no child should have them.
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

    /// From now on the signals are only told of.
    func handle(_ signals: [Int32]) {
        before.withLock { before in
            for number in signals {
                var action = sigaction()
                sigaction(number, nil, &action)
                before.append((number, action))
                signal(number) { SignalPipe.note($0) }
            }
        }
    }

    /// Puts back what was there before.
    func unhandle() {
        before.withLock { before in
            for index in before.indices.reversed() { sigaction(before[index].signal, &before[index].action, nil) }
            before = []
        }
    }

    /// Wakes whoever waits at the pipe, from any thread.
    func wake() {
        SignalPipe.note(0)
    }

    /// What was told of since the last time.
    func numbers() -> Set<Int32> {
        Set((System.read(readEnd) ?? []).map(Int32.init))
    }

    /// - Returns: what was held back before.
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
        // Whatever was interrupted may be about to look at it.
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
