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
    private let forkGeneration = ForkGuard.generation

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
    /// - Parameters:
    ///   - model: who may use the file if it is created.
    ///   - isOurs: whether a file with these contents may be written.
    init(path: String, size: Int, like model: FileAccess?, isOurs: ([UInt8]) -> Bool) throws(Failure) {
        self.path = path
        self.size = size
        descriptor = try LockedFile.lock(path, like: model)
        do throws(Failure) {
            guard isOurs(try LockedFile.contents(descriptor)) else { throw .foreign }
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
        // A forked child has closed it already, and the number can be that of another file of the child.
        guard forkGeneration == ForkGuard.generation else { return }
        ForkGuard.unregister(descriptor)
        // Closing frees the lock. The file is not deleted: otherwise a third process could lock a new file while a
        // second process still waits for the old one.
        close(descriptor)
    }

    /// Whether the path still leads to the locked file. False if the file was deleted or replaced.
    var isInPlace: Bool { LockedFile.isFile(descriptor, at: path) }

    /// Whether the file was deleted or replaced, as far as is known: false if the path cannot be looked up.
    var isDisplaced: Bool {
        guard let here = Platform.status(ofPath: path) else {
            return Platform.kind(ofError: Platform.lastError) == .missing
        }
        guard let own = Platform.status(ofDescriptor: descriptor) else { return false }
        return here.identity != own.identity
    }

    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        guard let here = Platform.status(ofPath: path) else { return false }
        return here.identity == Platform.status(ofDescriptor: descriptor)?.identity
    }

    /// Syncs the mapped bytes to the disk.
    ///
    /// - Returns: false with `errno` set on failure.
    @discardableResult
    func sync() -> Bool {
        Platform.sync(mapped: bytes, size: size, of: descriptor)
    }

    /// The contents of a file if it is locked right now; nil if it is free or missing. Keeps no lock.
    static func contentsIfHeld(_ path: String) throws(Failure) -> [UInt8]? {
        guard let descriptor = try openRegular(path, O_RDONLY) else { return nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_SH | LOCK_NB) != 0 else { return nil }
        return try contents(descriptor)
    }

    /// The contents of a file, locked or not.
    static func contents(ofPath path: String) throws(Failure) -> [UInt8] {
        let descriptor = try look(path)
        defer { close(descriptor) }
        return try contents(descriptor)
    }

    // Never follows a symbolic link, which may lead to a file that must not be written; and if the path is a pipe, does
    // not wait for its other end.
    private static let safeFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK

    private static func look(_ path: String) throws(Failure) -> Int32 {
        guard let descriptor = try openRegular(path, O_RDONLY) else { throw .system(doing: "opening", code: ENOENT) }
        return descriptor
    }

    /// Opens a file that may be missing: then nil.
    private static func openRegular(_ path: String, _ mode: Int32) throws(Failure) -> Int32? {
        let descriptor = Platform.awayFromStandardStreams(Platform.retrying { open(path, mode | safeFlags) })
        guard descriptor >= 0 else {
            switch errno {
            case ENOENT: return nil
            // A symbolic link, a folder, a socket.
            case ELOOP, EISDIR, ENXIO, EOPNOTSUPP: throw .foreign
            default: throw .system(doing: "opening", code: errno)
            }
        }
        guard let status = Platform.status(ofDescriptor: descriptor) else {
            let code = errno
            close(descriptor)
            throw .system(doing: "examining", code: code)
        }
        guard status.kind == .regular else {
            close(descriptor)
            throw .foreign
        }
        return descriptor
    }

    private static func openOrCreate(_ path: String, like model: FileAccess?) throws(Failure) -> Int32 {
        while true {
            if let descriptor = try openRegular(path, O_RDWR) { return descriptor }
            if let descriptor = Platform.create(path, like: model) { return descriptor }
            // Another process has created it meanwhile: open that one.
            guard errno == EEXIST else { throw .system(doing: "creating", code: errno) }
        }
    }

    private static func lock(_ path: String, like model: FileAccess?) throws(Failure) -> Int32 {
        for _ in 0..<1_000 {
            let descriptor = try openOrCreate(path, like: model)
            guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
                let code = errno
                defer { close(descriptor) }
                guard code == EWOULDBLOCK else { throw .system(doing: "locking", code: code) }
                throw .held(contents: (try? contents(descriptor)) ?? [])
            }
            // If the file was replaced between opening and locking, this lock protects nothing: try again.
            if isFile(descriptor, at: path) { return descriptor }
            close(descriptor)
        }
        // On this file system, the file at the path never counts as the one that was opened.
        throw .system(doing: "locking", code: ESTALE)
    }

    /// Maps the file through a second descriptor. A mapping keeps its open file description alive, and so the lock: a
    /// forked child inherits the mapping, and would hold the lock even if it closed its descriptors.
    private static func map(_ path: String, size: Int, lockedBy descriptor: Int32) throws(Failure)
        -> UnsafeMutableRawPointer
    {
        guard let another = try openRegular(path, O_RDWR) else { throw .system(doing: "opening", code: ENOENT) }
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
        let written = zeros.withUnsafeBytes { zeros in
            Platform.transfer(zeros.count) { done in
                pwrite(
                    descriptor, zeros.baseAddress.map { $0 + done }, zeros.count - done, status.st_size + off_t(done))
            }
        }
        guard let written else { throw .system(doing: "writing", code: errno) }
        guard written == zeros.count else { throw .system(doing: "writing", code: ENOSPC) }
    }

    private static func contents(_ descriptor: Int32) throws(Failure) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = buffer.withUnsafeMutableBytes { buffer in
            Platform.transfer(buffer.count) { done in
                pread(descriptor, buffer.baseAddress.map { $0 + done }, buffer.count - done, off_t(done))
            }
        }
        guard let length else { throw .system(doing: "reading", code: errno) }
        return Array(buffer[..<length])
    }
}
