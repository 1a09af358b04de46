import Dispatch

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension System {
    private static let ends = Int16(POLLHUP) | Int16(POLLERR) | Int16(POLLNVAL)

    /// Whether the other end of a pipe or a connection is closed.
    static func isClosed(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLHUP), revents: 0)
        return poll(&entry, 1, 0) > 0 && entry.revents & ends != 0
    }

    /// Ends this process as soon as the other end of a connection is closed, whatever its other threads do.
    static func endWithConnection(_ descriptor: Int32) {
        DispatchQueue(label: "journal-replay.connection").async {
            while true {
                // Linux tells of these without being asked, macOS only of an end that it is asked for.
                var entry = pollfd(fd: descriptor, events: Int16(POLLHUP), revents: 0)
                if poll(&entry, 1, -1) > 0, entry.revents & ends != 0 { _exit(0) }
                // After a signal, or on a system that also tells of input.
                usleep(100_000)
            }
        }
    }
}
