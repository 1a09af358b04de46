#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A small file that one process holds under an advisory lock, mapped into memory: what is written there survives the
/// process without a system call. The kernel frees the lock when the process ends, for whatever reason.
final class LockedFile {
    let path: String
    let size: Int
    /// Shared with users that may still write a word after the lock is released.
    let mapping: Mapping
    var bytes: UnsafeMutableRawPointer { mapping.bytes }
    private let descriptor: Int32

    /// The memory mapping of the file.
    ///
    /// `@unchecked`: it only provides an address; the users of a word synchronize their accesses to it.
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
        /// Another process or opening holds the lock. The file's contents name the holder.
        case held(contents: [UInt8])
        case system(doing: String, code: Int32)
        /// The path leads to something other than the expected file, which is not changed.
        case foreign
    }

    /// Opens the file, creates it if it is missing, and locks it. Never waits.
    ///
    /// - Parameter isOurs: whether a file with these contents may be written.
    init(path: String, size: Int, isOurs: ([UInt8]) -> Bool) throws(Failure) {
        self.path = path
        self.size = size
        descriptor = try LockedFile.lock(path)
        do throws(Failure) {
            guard isOurs(LockedFile.contents(descriptor)) else { throw .foreign }
            // Allocate before mapping: a write to a mapped page for which a full disk has no room raises a signal.
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
        // Closing frees the lock. The file is not deleted: otherwise a third process could lock a new file while a
        // second process still waits for the old one.
        close(descriptor)
    }

    /// Whether the path still leads to the locked file. False if the file was deleted or replaced.
    var isInPlace: Bool { LockedFile.isFile(descriptor, at: path) }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        guard let here = Platform.status(ofPath: path) else { return false }
        return here.identity == Platform.status(ofDescriptor: descriptor)?.identity
    }

    /// Syncs the mapped bytes to the disk.
    func sync() {
        msync(bytes, size, MS_SYNC)
    }

    /// The contents of a file if it is locked right now; nil if it is free or missing. Keeps no lock.
    static func contentsIfHeld(_ path: String) -> [UInt8]? {
        guard let descriptor = look(path) else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        return contents(descriptor)
    }

    /// The contents of a file, locked or not; nil if it cannot be read.
    static func contents(ofPath path: String) -> [UInt8]? {
        guard let descriptor = look(path) else { return nil }
        defer { close(descriptor) }
        return contents(descriptor)
    }

    // Never follows a symbolic link, which may lead to a file that must not be written; and if the path is a pipe, does
    // not wait for its other end.
    private static let safeFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    private static func look(_ path: String) -> Int32? {
        let descriptor = open(path, O_RDONLY | safeFlags)
        guard descriptor >= 0 else { return nil }
        guard Platform.status(ofDescriptor: descriptor)?.kind == .regular else {
            close(descriptor)
            return nil
        }
        return descriptor
    }

    private static func lock(_ path: String) throws(Failure) -> Int32 {
        while true {
            let descriptor = open(path, O_RDWR | O_CREAT | safeFlags, 0o644)
            guard descriptor >= 0 else {
                // A symbolic link, or a folder.
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
            // If the file was replaced between opening and locking, this lock protects nothing: try again.
            if isFile(descriptor, at: path) { return descriptor }
            close(descriptor)
        }
    }

    /// Maps the file through a second descriptor. A mapping keeps its open file description alive, and so the lock: a
    /// forked child inherits the mapping, and would hold the lock even if it closed its descriptors.
    private static func map(_ path: String, size: Int, lockedBy descriptor: Int32) throws(Failure)
        -> UnsafeMutableRawPointer
    {
        let another = open(path, O_RDWR | safeFlags)
        guard another >= 0 else { throw .system(doing: "opening", code: errno) }
        defer { close(another) }
        guard Platform.status(ofDescriptor: another)?.identity == Platform.status(ofDescriptor: descriptor)?.identity
        else { throw .system(doing: "opening", code: ENOENT) }
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
