// The calls to the operating system that several files need. Sockets, locks, user names and the identity of a process
// have files of their own, with the same imports.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

package enum Platform {
    /// The number of processors that are in use.
    package static var processors: Int {
        // https://man7.org/linux/man-pages/man3/sysconf.3.html
        max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    }

    /// The current thread, as a number.
    static var thread: UInt {
        #if canImport(Glibc)
            UInt(pthread_self())
        #else
            // A pointer on Apple's platforms and in musl.
            UInt(bitPattern: pthread_self())
        #endif
    }

    /// Compares bytes: negative if those on the left come first.
    @inline(__always)
    static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int32 {
        memcmp(left, right, count)
    }

    /// Calls a function in each forked child.
    static func afterFork(_ child: @escaping @convention(c) () -> Void) {
        pthread_atfork(nil, nil, child)
    }

    /// Writes a line to stderr.
    package static func printError(_ line: String) {
        _ = writeAll(Array("\(line)\n".utf8), to: STDERR_FILENO)
    }

    static func pause(milliseconds: Int) {
        var time = timespec(tv_sec: 0, tv_nsec: milliseconds * 1_000_000)
        nanosleep(&time, nil)
    }

    /// Random bytes, at most 256.
    package static func randomBytes(_ count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        #if canImport(Darwin)
            arc4random_buf(&bytes, count)
        #else
            let isFilled = bytes.withUnsafeMutableBytes { buffer in
                buffer.baseAddress.map { getentropy($0, buffer.count) == 0 } ?? true
            }
            precondition(isFilled, "the system has no random numbers")
        #endif
        return bytes
    }

    /// Microseconds since 1970 UTC.
    package static func wallClock() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// Microseconds of a clock that never goes back.
    package static func uptime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    /// The time that the calling thread was running during a call.
    package static func threadTime(of call: () -> Void) -> Duration {
        func now() -> Duration {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        }
        let start = now()
        call()
        return now() - start
    }

    package static func hostName() -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let address = buffer.baseAddress, gethostname(address, 255) == 0 else { return "unknown host" }
            return String(decoding: UnsafeRawBufferPointer(buffer).prefix(255).prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}
