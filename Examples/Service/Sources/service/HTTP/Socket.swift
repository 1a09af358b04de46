import Foundation

/// The other side was too slow, or is gone.
enum SocketFailure: Error {
    case timedOut
    case broken
}

/// A connection to a client, which is closed when it is released. Its calls block the thread until a deadline at most.
final class Socket: Sendable {
    private let descriptor: Int32

    /// Owns a descriptor that does not block.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// The bytes that have come, at least one; none when the client sends no more.
    func read(until deadline: ContinuousClock.Instant) throws(SocketFailure) -> ArraySlice<UInt8> {
        var bytes = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = recv(descriptor, &bytes, bytes.count, 0)
            if count >= 0 { return bytes[..<count] }
            try wait(Int16(POLLIN), until: deadline)
        }
    }

    func write(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(SocketFailure) {
        var left = bytes[...]
        while !left.isEmpty {
            let count = left.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
            if count >= 0 { left = left.dropFirst(count) } else { try wait(Int16(POLLOUT), until: deadline) }
        }
    }

    /// Sends the end, and reads what the client still sends: a connection that is closed with unread bytes is reset,
    /// and the client can lose the answer (https://www.rfc-editor.org/rfc/rfc9112#name-tear-down).
    func finish(until deadline: ContinuousClock.Instant) {
        shutdown(descriptor, Int32(SHUT_WR))
        for _ in 0..<256 {
            guard let bytes = try? read(until: deadline), !bytes.isEmpty else { return }
        }
    }

    /// Waits after a call that has failed.
    private func wait(_ events: Int16, until deadline: ContinuousClock.Instant) throws(SocketFailure) {
        guard [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) else { throw .broken }
        let left = ContinuousClock.now.duration(to: deadline) / .milliseconds(1)
        guard left > 0 else { throw .timedOut }
        var entry = pollfd(fd: descriptor, events: events, revents: 0)
        poll(&entry, 1, Int32(min(left.rounded(.up), 60_000)))
    }
}
