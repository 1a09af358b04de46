#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A small file that one process holds under an advisory lock, mapped into memory: what is written there survives the
/// process without a system call. The kernel frees the lock when the process ends, however it ends.
final class LockedFile {
    let path: String
    let size: Int
    /// Shared with those who may still write a word there when the lock is given back.
    let mapping: Mapping
    var bytes: UnsafeMutableRawPointer { mapping.bytes }
    private let descriptor: Int32

    /// The file in memory.
    ///
    /// `@unchecked`: a place to write to, as memory is; whoever shares a word of it agrees on how.
    final class Mapping: @unchecked Sendable {
        let bytes: UnsafeMutableRawPointer
        private let size: Int

        fileprivate init(_ bytes: UnsafeMutableRawPointer, size: Int) {
            self.bytes = bytes
            self.size = size
        }

        deinit { munmap(bytes, size) }
    }

    enum Failure: Error {
        /// Somebody holds it. What the file says is given, so that the holder can be named.
        case held(contents: [UInt8])
        case system(doing: String, code: Int32)
        /// It is something else than what it should be, and is left alone.
        case foreign
    }

    /// Opens, makes where it is missing, and locks. Never waits.
    ///
    /// - Parameter isOurs: whether a file with these contents may be written.
    init(path: String, size: Int, isOurs: ([UInt8]) -> Bool) throws(Failure) {
        self.path = path
        self.size = size
        descriptor = try LockedFile.lock(path)
        do throws(Failure) {
            guard isOurs(LockedFile.contents(descriptor)) else { throw .foreign }
            // Room is taken before it is mapped: writing to a mapped page that the full disk cannot hold is a signal.
            try LockedFile.fill(descriptor, to: size)
            mapping = Mapping(try LockedFile.map(path, size: size, lockedBy: descriptor), size: size)
        } catch {
            close(descriptor)
            throw error
        }
        ForkGuard.register(descriptor)
    }

    deinit {
        ForkGuard.unregister(descriptor)
        // Closing frees the lock. The file stays: removing it would let a third process lock a new one beside a second
        // that still waits for the old.
        close(descriptor)
    }

    /// Whether the path still leads to the file that is locked. Not so after somebody deleted or replaced it.
    var isInPlace: Bool {
        guard let here = Platform.status(ofPath: path), let mine = Platform.status(ofDescriptor: descriptor) else {
            return false
        }
        return here.identity == mine.identity
    }

    /// Writes the mapped bytes to the disk.
    func sync() {
        msync(bytes, size, MS_SYNC)
    }

    /// What a file says that is held right now; nil where it is free or missing. Locks nothing for longer than the look.
    static func contentsIfHeld(_ path: String) -> [UInt8]? {
        guard let descriptor = look(path) else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        return contents(descriptor)
    }

    /// What a file says, held or not; nil where it cannot be read.
    static func contents(ofPath path: String) -> [UInt8]? {
        guard let descriptor = look(path) else { return nil }
        defer { close(descriptor) }
        return contents(descriptor)
    }

    // Never through a link, which may lead to a file that is not ours to write; and without waiting for the other end of a
    // pipe, should it be one.
    private static let careful = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    private static func look(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | careful)
        guard descriptor >= 0 else { return nil }
        guard Platform.status(ofDescriptor: descriptor)?.kind == .regular else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func lock(_ path: String) throws(Failure) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | careful, 0o644)
            guard descriptor >= 0 else {
                // A link, or a folder.
                if errno == ELOOP || errno == EISDIR { throw .foreign }
                throw .system(doing: "opening", code: errno)
            }
            guard Platform.status(ofDescriptor: descriptor)?.kind == .regular else {
                close(descriptor)
                throw .foreign
            }
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { close(descriptor) }
                guard code == EWOULDBLOCK else { throw .system(doing: "locking", code: code) }
                throw .held(contents: contents(descriptor))
            }
            // Between the opening and the locking somebody can have put another file there: then the lock is worth nothing.
            if let here = Platform.status(ofPath: path), let mine = Platform.status(ofDescriptor: descriptor),
                here.identity == mine.identity
            {
                return descriptor
            }
            close(descriptor)
        }
    }

    /// Maps the file through an opening of its own. A mapping keeps its opening alive, and with it the lock: a forked child
    /// inherits the mapping, and would hold the lock whatever it closes.
    private static func map(_ path: String, size: Int, lockedBy descriptor: Int32) throws(Failure)
        -> UnsafeMutableRawPointer
    {
        let another = open(path, O_RDWR | careful)
        guard another >= 0 else { throw .system(doing: "opening", code: errno) }
        defer { close(another) }
        guard Platform.status(ofDescriptor: another)?.identity == Platform.status(ofDescriptor: descriptor)?.identity
        else {
            throw .system(doing: "opening", code: ENOENT)
        }
        let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, another, 0)
        guard let mapped, mapped != MAP_FAILED else { throw .system(doing: "mapping", code: errno) }
        return mapped
    }

    private static func fill(_ descriptor: Int32, to size: Int) throws(Failure) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw .system(doing: "reading", code: errno) }
        guard status.st_size < size else { return }
        let zeros = [UInt8](repeating: 0, count: size - Int(status.st_size))
        let written = pwrite(descriptor, zeros, zeros.count, status.st_size)
        guard written == zeros.count else { throw .system(doing: "writing", code: written < 0 ? errno : ENOSPC) }
    }

    private static func contents(_ descriptor: Int32) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = pread(descriptor, &buffer, buffer.count, 0)
        return length > 0 ? Array(buffer[..<length]) : []
    }
}
