import Foundation

/// Accepts connections on the loopback, until it is stopped.
final class Listener: Sendable {
    let port: UInt16
    private let descriptor: Int32
    /// A pipe: its end wakes the thread that waits for a connection.
    private let (waking, woken): (Int32, Int32)

    /// - Parameter port: 0 for any free one.
    init(port: UInt16) throws {
        #if os(Linux)
            let stream = Int32(SOCK_STREAM.rawValue)
        #else
            let stream = SOCK_STREAM
        #endif
        descriptor = try checked(socket(AF_INET, stream, 0))
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        try withUnsafeMutablePointer(to: &address) { [descriptor] address in
            try address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                try checked(bind(descriptor, address, length))
                try checked(listen(descriptor, 128))
                try checked(getsockname(descriptor, address, &length))
            }
        }
        self.port = UInt16(bigEndian: address.sin_port)
        try checked(fcntl(descriptor, F_SETFL, O_NONBLOCK))
        var ends: [Int32] = [0, 0]
        try checked(pipe(&ends))
        (woken, waking) = (ends[0], ends[1])
    }

    /// The next connection; nil when the listener was stopped. Blocks the thread.
    func accept() -> Socket? {
        while true {
            var entries = [descriptor, woken].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&entries, 2, -1)
            if entries[1].revents != 0 { return nil }
            let accepted = Foundation.accept(descriptor, nil, nil)
            if accepted >= 0, fcntl(accepted, F_SETFL, O_NONBLOCK) >= 0 { return Socket(accepted) }
            // Too many files are open: they are fewer when a connection has ended. Others were gone before they were
            // accepted.
            if [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) { poll(&entries[1], 1, 100) }
        }
    }

    /// Ends the wait for connections. Those that wait in the queue of the system are refused when the process ends.
    func stop() {
        var byte: UInt8 = 1
        _ = write(waking, &byte, 1)
    }
}

/// - Throws: the reason, if a call of the system has failed.
@discardableResult
private func checked(_ result: Int32) throws -> Int32 {
    if result >= 0 { return result }
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
}
