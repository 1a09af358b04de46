#if canImport(Darwin)
    import Darwin
#else
    internal import CJournalLinux
    #if canImport(Musl)
        import Musl
    #else
        import Glibc
    #endif
#endif

/// Sockets of the Unix domain, which have a path and are reached only from the same machine. All functions return nil
/// or false with `errno` set on failure.
package enum LocalSocket {
    /// The most bytes that the path of a socket can have.
    package static let mostPathBytes: Int = {
        // With a zero at the end.
        MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1
    }()

    /// Creates a socket that only this user can reach, and listens without blocking.
    static func listen(at path: String, backlog: Int32) -> Int32? {
        guard let descriptor = make() else { return nil }
        let isBound = withAddress(path) { bind(descriptor, $0, $1) == 0 }
        // Nobody can connect before `listen`, so no other user is let in before the mode is set.
        guard isBound, chmod(path, 0o600) == 0, systemListen(descriptor, backlog), setBlocking(descriptor, false) else {
            let code = errno
            closeSocket(descriptor)
            if isBound { unlink(path) }
            errno = code
            return nil
        }
        return descriptor
    }

    /// Accepts a connection, which does not block.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Platform.awayFromStandardStreams(Platform.retrying { systemAccept(listener) })
        guard descriptor >= 0 else { return nil }
        guard prepare(descriptor), setBlocking(descriptor, false) else {
            // macOS says so of a client that has hung up.
            let code = errno == EINVAL ? ECONNABORTED : errno
            closeSocket(descriptor)
            errno = code
            return nil
        }
        return descriptor
    }

    /// Connects to a socket. Each call on the connection, this one too, waits for at most that long.
    package static func connect(to path: String, timeout: Duration) -> Int32? {
        guard let descriptor = make() else { return nil }
        let (seconds, attoseconds) = timeout.components
        var time = timeval()
        time.tv_sec = .init(seconds)
        time.tv_usec = .init(attoseconds / 1_000_000_000_000)
        let size = socklen_t(MemoryLayout<timeval>.size)
        guard setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, size) == 0,
            setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, size) == 0,
            withAddress(path, { systemConnect(descriptor, $0, $1) })
        else {
            let code = errno
            closeSocket(descriptor)
            errno = code
            return nil
        }
        return descriptor
    }

    /// The user of the process at the other end.
    package static func peerUser(_ descriptor: Int32) -> UInt32? {
        #if canImport(Darwin)
            var (user, group) = (uid_t(), gid_t())
            return getpeereid(descriptor, &user, &group) == 0 ? user : nil
        #else
            // `ucred`, which Glibc declares only for GNU sources: process, user, group.
            var credentials = (pid_t(), uid_t(), gid_t())
            var size = socklen_t(MemoryLayout.size(ofValue: credentials))
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
            return credentials.1
        #endif
    }

    /// The bytes that have arrived, up to `limit`; empty at the end.
    package static func receive(_ descriptor: Int32, upTo limit: Int) -> [UInt8]? {
        Platform.readSome(descriptor, upTo: limit)
    }

    /// Sends all bytes. Does not raise SIGPIPE.
    package static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let sent = Platform.transfer(bytes.count) { done in
                systemSend(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            }
            return sent == bytes.count
        }
    }

    /// Asks for a buffer that takes so many bytes at once. The system has a limit, and a greater buffer is left as it is.
    static func makeRoom(for count: Int, in descriptor: Int32) {
        var (size, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        guard getsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0, Int(size) < 2 * count else { return }
        size = Int32(clamping: 2 * count)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, length)
    }

    package static func closeSocket(_ descriptor: Int32) {
        Platform.closeFile(descriptor)
    }

    /// Ends a listener, also for children that have been forked and have not yet called `exec`: as long as such a child
    /// has the descriptor, clients could connect, and would wait for an answer.
    static func stopListening(_ descriptor: Int32) {
        shutdown(descriptor, Int32(SHUT_RDWR))
        closeSocket(descriptor)
    }

    /// Whether an error of ``accept(_:)`` says that there is no client to accept, or none any more.
    static func isOver(_ code: Int32) -> Bool { [EAGAIN, EWOULDBLOCK, ECONNABORTED].contains(code) }

    /// Whether an error says that the other end did not answer in time.
    package static func isTimeout(_ code: Int32) -> Bool { code == EAGAIN || code == EWOULDBLOCK || code == ETIMEDOUT }

    /// Whether an error says that nobody listens at the path.
    package static func isNobody(_ code: Int32) -> Bool { code == ENOENT || code == ECONNREFUSED }

    /// The file at a path; nil if there is none.
    static func identity(of path: String) -> FileIdentity? {
        var raw = stat()
        return lstat(path, &raw) == 0 ? FileStatus(raw).identity : nil
    }

    /// Deletes a socket. Another kind of file stays.
    static func remove(_ path: String) {
        var raw = stat()
        if lstat(path, &raw) == 0, raw.st_mode & S_IFMT == S_IFSOCK { unlink(path) }
    }

    // MARK: The system's calls

    /// Whether this process can have so many more descriptors. False with `errno` set if not.
    static func canMake(_ count: Int) -> Bool {
        let made = (0..<count).map { _ in make() }
        let code = errno
        for descriptor in made { if let descriptor { closeSocket(descriptor) } }
        errno = code
        return !made.contains(nil)
    }

    private static func make() -> Int32? {
        let descriptor = Platform.awayFromStandardStreams(systemSocket())
        guard descriptor >= 0 else { return nil }
        guard prepare(descriptor) else {
            closeSocket(descriptor)
            return nil
        }
        return descriptor
    }

    /// Sets what Linux has set when it made the descriptor.
    private static func prepare(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            var on: Int32 = 1
            let size = socklen_t(MemoryLayout<Int32>.size)
            guard setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, size) == 0 else { return false }
            return fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0
        #else
            return true
        #endif
    }

    private static func setBlocking(_ descriptor: Int32, _ isBlocking: Bool) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        return flags >= 0 && fcntl(descriptor, F_SETFL, isBlocking ? flags & ~O_NONBLOCK : flags | O_NONBLOCK) == 0
    }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Bool) -> Bool {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        guard bytes.count <= mostPathBytes, !bytes.contains(0) else {
            errno = ENAMETOOLONG
            return false
        }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

// Their names are those of functions of the enum.

private func systemSocket() -> Int32 {
    #if canImport(Darwin)
        socket(AF_UNIX, SOCK_STREAM, 0)
    #else
        local_socket()
    #endif
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Bool { listen(descriptor, backlog) == 0 }

private func systemAccept(_ listener: Int32) -> Int32 {
    #if canImport(Darwin)
        accept(listener, nil, nil)
    #else
        accept_local(listener)
    #endif
}

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Bool {
    connect(descriptor, address, size) == 0
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
        send(descriptor, bytes, count, 0)
    #else
        send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
}
