import Foundation

/// A payment service on the loopback address: charges once for each idempotency key, and counts requests.
///
/// It reads lines `charge KEY ORDER` and answers `paid` or `refused`, always the same for an order. It ends with its
/// last reference.
///
/// `@unchecked`: the account is only accessed under the lock; everything else is constant.
package final class PaymentServer: @unchecked Sendable {
    package struct Account: Sendable {
        /// The keys that were charged, by order.
        package var charges: [Int: Set<String>] = [:]
        package var requests = 0
    }

    package let port: UInt16
    private let listener: Int32
    private let lock = NSLock()
    private var account = Account()

    package init() throws {
        let listener = PaymentClient.socket()
        self.listener = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 64) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard listener >= 0, isBound else { throw Child.Failure(message: String(cString: strerror(errno))) }
        _ = fcntl(listener, F_SETFD, FD_CLOEXEC)
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread { [weak self, listener] in
            while true {
                let connection = accept(listener, nil, nil)
                if connection < 0 {
                    // The listener was closed, and its number may be that of another file by now. Other errors, such as
                    // that of a client that is gone, do not end the service.
                    if errno == EBADF || errno == EINVAL || self == nil { return }
                    continue
                }
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                Thread.detachNewThread { [weak self] in
                    self?.serve(connection)
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
    }

    package var books: Account { lock.withLock { account } }

    /// Whether the service refuses an order; always the same for an order.
    package static func isRefused(_ order: Int) -> Bool { order % 5 == 0 }

    private func serve(_ connection: Int32) {
        while let line = PaymentClient.line(connection) {
            let words = line.split(separator: " ")
            guard words.count == 3, let order = Int(words[2]) else { return }
            lock.withLock {
                account.requests += 1
                if !Self.isRefused(order) { account.charges[order, default: []].insert(String(words[1])) }
            }
            // Leaves time in which the client may be killed before it receives the answer.
            usleep(UInt32(order % 7) * 500)
            guard PaymentClient.say(Self.isRefused(order) ? "refused" : "paid", connection) else { return }
        }
    }
}

/// The client of ``PaymentServer``.
package enum PaymentClient {
    package static func charge(_ order: Int, key: String, port: UInt16) throws -> Bool {
        let connection = socket()
        defer { close(connection) }
        // Without an answer the charge is tried again, as for any service.
        var limit = timeval(tv_sec: 10, tv_usec: 0)
        setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(connection, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected, say("charge \(key) \(order)", connection), let answer = line(connection) else {
            throw Child.Failure(message: "no answer")
        }
        return answer == "paid"
    }

    static func socket() -> Int32 {
        #if canImport(Darwin)
            let made = Foundation.socket(AF_INET, SOCK_STREAM, 0)
            var isQuiet: Int32 = 1
            setsockopt(made, SOL_SOCKET, SO_NOSIGPIPE, &isQuiet, socklen_t(MemoryLayout<Int32>.size))
            return made
        #else
            return Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
    }

    /// Flags for `send`: a connection that the other end has closed must not raise SIGPIPE.
    private static var quietly: Int32 {
        #if canImport(Darwin)
            0
        #else
            Int32(MSG_NOSIGNAL)
        #endif
    }

    static func say(_ text: String, _ connection: Int32) -> Bool {
        let bytes = Array((text + "\n").utf8)
        return send(connection, bytes, bytes.count, quietly) == bytes.count
    }

    static func line(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        while read(connection, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return nil
    }
}
