// The calls to the operating system that several files need. Sockets, locks, user names and the identity of a process
// have files of their own, with the same imports.

#if os(Linux)
    internal import CJournalLinux
#endif
#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Identifies a file independently of its name.
package struct FileIdentity: Hashable, Sendable {
    package var device: UInt64
    package var inode: UInt64
}

/// The fields of `stat` that are used here.
package struct FileStatus: Hashable, Sendable {
    package enum Kind: Sendable { case regular, directory, other }
    package var identity: FileIdentity
    package var kind: Kind
    package var links: Int
    package var size: Int64
    /// The bytes that it takes on the disk: fewer than its size, if parts of it were never written.
    var allocated: Int64
    /// When it was last written, in nanoseconds. Saturates at the years 1677 and 2262.
    package var modified: Int64

    init(_ raw: stat) {
        identity = FileIdentity(device: UInt64(truncatingIfNeeded: raw.st_dev), inode: UInt64(raw.st_ino))
        switch raw.st_mode & S_IFMT {
        case S_IFREG: kind = .regular
        case S_IFDIR: kind = .directory
        default: kind = .other
        }
        links = Int(raw.st_nlink)
        size = Int64(raw.st_size)
        allocated = Int64(raw.st_blocks).multipliedSaturating(by: 512)
        #if canImport(Darwin)
            let time = raw.st_mtimespec
        #else
            let time = raw.st_mtim
        #endif
        modified = Int64(time.tv_sec).multipliedSaturating(by: 1_000_000_000).addingSaturating(Int64(time.tv_nsec))
    }
}

/// Who may use a file: its owner, its group and its permission bits.
struct FileAccess: Hashable, Sendable {
    var owner: UInt32
    var group: UInt32
    var mode: UInt32

    fileprivate init(_ raw: stat) {
        owner = raw.st_uid
        group = raw.st_gid
        mode = UInt32(raw.st_mode) & 0o777
    }
}

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

    /// The status of the file at `path`, with links followed; nil with `errno` set if there is none.
    package static func status(ofPath path: String) -> FileStatus? {
        var raw = stat()
        return stat(path, &raw) == 0 ? FileStatus(raw) : nil
    }

    /// The status of the file at `path`, or of the link if it is one; nil with `errno` set if there is none.
    static func status(ofLink path: String) -> FileStatus? {
        var raw = stat()
        return lstat(path, &raw) == 0 ? FileStatus(raw) : nil
    }

    package static func status(ofDescriptor descriptor: Int32) -> FileStatus? {
        var raw = stat()
        return fstat(descriptor, &raw) == 0 ? FileStatus(raw) : nil
    }

    /// Whether files that this process creates beside a file belong to the file's owner. True for the owner, and for
    /// root, because SQLite gives the files it creates as root to the database's owner.
    static func actsAsOwner(ofPath path: String) -> Bool {
        var raw = stat()
        return geteuid() == 0 || stat(path, &raw) == 0 && raw.st_uid == geteuid()
    }

    /// The file of a name. Nil with `errno` set if it is missing or cannot be reached.
    static func identity(ofPath path: String) -> FileIdentity? { file(atPath: path)?.identity }

    /// The file of a name and its size, without reading its times. Nil with `errno` set if it is missing or cannot be
    /// reached.
    static func file(atPath path: String) -> (identity: FileIdentity, size: Int64)? {
        #if os(Linux)
            var (found, size) = (FileIdentity(device: 0, inode: 0), Int64(0))
            return file_identity(path, &found.device, &found.inode, &size) == 0 ? (found, size) : nil
        #else
            return status(ofPath: path).map { ($0.identity, $0.size) }
        #endif
    }

    /// Whether files can be created in a folder. False with `errno` set if not.
    static func isWritable(folder path: String) -> Bool {
        access(path, W_OK | X_OK) == 0
    }

    static func isReadable(folder path: String) -> Bool { access(path, R_OK) == 0 }

    /// Whether a file system has room for a new file. It can have a fixed number of them, however small they are.
    static func hasRoom(forFileIn folder: String) -> Bool {
        var raw = statvfs()
        return statvfs(folder, &raw) != 0 || raw.f_files == 0 || raw.f_favail > 0
    }

    /// How many bytes a file can grow, by the disk and by the limit of this process for the size of files; nil if that
    /// is not known.
    static func room(forFileAt path: String) -> Int64? {
        var (disk, limit) = (statvfs(), rlimit())
        #if canImport(Glibc)
            let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
        #else
            let kind = RLIMIT_FSIZE
        #endif
        guard statvfs(path, &disk) == 0, getrlimit(kind, &limit) == 0, let size = file(atPath: path)?.size else {
            return nil
        }
        let free = Int64(clamping: disk.f_bavail).multipliedSaturating(by: Int64(clamping: disk.f_frsize))
        return min(free, max(0, Int64(clamping: limit.rlim_cur) - size))
    }

    /// Whether a file can be written. False with `errno` set if not, or if it is missing.
    static func isWritable(file path: String) -> Bool {
        access(path, W_OK) == 0
    }

    /// Who may use the file at `path`, with links followed; nil with `errno` set if there is none.
    static func fileAccess(ofPath path: String) -> FileAccess? {
        var raw = stat()
        return stat(path, &raw) == 0 ? FileAccess(raw) : nil
    }

    package static var lastError: Int32 { errno }

    /// Makes ``lastError`` 0 until a call fails: a call that succeeds leaves it as it is.
    @inline(__always)
    static func clearLastError() { errno = 0 }

    /// Compares bytes: negative if those on the left come first.
    @inline(__always)
    static func compare(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Int32 {
        memcmp(left, right, count)
    }

    /// Calls a function in each forked child.
    static func afterFork(_ child: @escaping @convention(c) () -> Void) {
        pthread_atfork(nil, nil, child)
    }

    package static func message(forError code: Int32) -> String {
        String(cString: strerror(code))
    }

    /// What an error number means for a journal.
    enum ErrorKind {
        case missing, noAccess, tooManyFiles, noRoom, brokenDisk, other
    }

    static func kind(ofError code: Int32) -> ErrorKind {
        switch code {
        case ENOENT, ENOTDIR: .missing
        case EACCES, EPERM, EROFS, ELOOP, EISDIR, ENAMETOOLONG: .noAccess
        case EMFILE, ENFILE: .tooManyFiles
        case ENOSPC, EDQUOT, EFBIG: .noRoom
        case EIO, ENXIO: .brokenDisk
        default: .other
        }
    }

    static func isTooLongName(_ code: Int32) -> Bool { code == ENAMETOOLONG }

    static func isOutOfMemory(_ code: Int32) -> Bool { code == ENOMEM }

    /// Whether a lock failed because the file system has none.
    static func isWithoutLocks(_ code: Int32) -> Bool { code == ENOLCK || code == ENOTSUP || code == EOPNOTSUPP }

    /// Whether this process may not make a file as large as it would have to be.
    static func isFileSizeLimit(_ code: Int32) -> Bool { code == EFBIG }

    /// Whether SQLite reports a read that failed with this error number as a damaged page.
    static func isFailedRead(_ code: Int32) -> Bool {
        [EIO, ENXIO, ERANGE].contains(code)
    }

    // MARK: Interrupted calls

    /// Repeats a call as long as a signal interrupts it. Not for `fsync`: after an error its outcome is unknown.
    static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    /// Reads or writes `count` bytes with as many calls as it takes.
    ///
    /// - Parameter call: transfers the bytes after the first `done`, and returns how many, or -1 with `errno` set.
    /// - Returns: the number of bytes until the end of the file; nil with `errno` set on failure.
    static func transfer(_ count: Int, _ call: (_ done: Int) -> Int) -> Int? {
        var done = 0
        while done < count {
            let part = retrying { call(done) }
            guard part >= 0 else { return nil }
            if part == 0 { break }
            done += part
        }
        return done
    }

    /// The absolute path with all links resolved. The last part need not exist. Nil with `errno` set on failure.
    package static func resolve(_ path: String) -> String? {
        if let whole = realpath(path, nil) {
            defer { free(whole) }
            return text(whole)
        }
        guard errno == ENOENT else { return nil }
        // A link to a file that does not exist yet: the name it points to counts.
        if let target = linkTarget(path) {
            return resolve(target.utf8.first == slash ? target : directory(of: path) + "/" + target)
        }
        guard errno != notUTF8, let parent = realpath(directory(of: path), nil) else { return nil }
        defer { free(parent) }
        guard let folder = text(parent) else { return nil }
        return (folder == "/" ? "" : folder) + "/" + name(of: path)
    }

    /// Paths are split as bytes: a slash is part of a larger `Character` if the name after it begins with a combining
    /// one.
    private static let slash = UInt8(ascii: "/")

    package static func directory(of path: String) -> String {
        guard let end = path.utf8.lastIndex(of: slash) else { return "." }
        return end == path.startIndex ? "/" : String(path[..<end])
    }

    package static func name(of path: String) -> String {
        path.utf8.lastIndex(of: slash).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    }

    private static func linkTarget(_ path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
            guard let address = buffer.baseAddress else { return nil }
            let length = readlink(path, address, Int(PATH_MAX))
            guard length > 0 else { return nil }
            address[length] = 0
            return text(address)
        }
    }

    /// A path that the system has returned. Nil with `errno` set if it is not UTF-8: with other characters in place of
    /// what is not, it would be the path of another file.
    private static func text(_ path: UnsafePointer<CChar>) -> String? {
        let text = String(validatingCString: path)
        if text == nil { errno = notUTF8 }
        return text
    }

    /// Flushes a file, or the names in a folder, to the disk. False with `errno` set on failure.
    package static func sync(_ path: String) -> Bool {
        guard let descriptor = openForReading(path) else { return false }
        defer { close(descriptor) }
        return sync(descriptor)
    }

    /// Whether a commit of the system's SQLite does not wait for the drive, whatever the settings.
    static var commitsNeedSync: Bool {
        #if canImport(Darwin)
            true
        #else
            false
        #endif
    }

    private static func sync(_ descriptor: Int32) -> Bool {
        #if canImport(Darwin)
            // There fsync leaves the data in the cache of the drive. Not every file system has this call.
            if fcntl(descriptor, F_FULLFSYNC) != -1 { return true }
            // After a sync that failed, a second one can succeed without having written anything.
            if kind(ofError: errno) == .brokenDisk { return false }
        #endif
        return fsync(descriptor) == 0
    }

    /// Flushes a file that is mapped into memory to the disk.
    ///
    /// - Returns: false with `errno` set on failure.
    static func sync(mapped bytes: UnsafeMutableRawPointer, size: Int, of descriptor: Int32) -> Bool {
        guard msync(bytes, size, MS_SYNC) == 0 else { return false }
        #if canImport(Darwin)
            return sync(descriptor)
        #else
            return true
        #endif
    }

    // MARK: Plain files

    /// Creates an empty file that must not exist; nil with `errno` set on failure.
    ///
    /// - Parameter model: who may use the file. Until it has this owner and mode, only this user may. If nil, the file
    ///   has the mode that SQLite gives a new database.
    static func create(_ path: String, like model: FileAccess?) -> Int32? {
        let mode: mode_t = model == nil ? 0o644 : 0o600
        let descriptor = awayFromStandardStreams(
            retrying { open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode) })
        guard descriptor >= 0 else { return nil }
        if let model { grant(model, to: descriptor) }
        return descriptor
    }

    /// Gives a new file, which only this user may use, the owner and mode of another. A file system without owners or
    /// modes refuses this, and has its own for all files.
    private static func grant(_ model: FileAccess, to descriptor: Int32) {
        // Only root can give a file away; SQLite does so with its -wal and -shm. Others can set a group of theirs.
        _ = fchown(descriptor, geteuid() == 0 ? model.owner : uid_t.max, model.group)
        // The owner has to write it: a copy of a file that nobody may write, for example.
        var mode = model.mode | 0o600
        // Another group does not get the rights of the model's group, but those of all others.
        var raw = stat()
        if fstat(descriptor, &raw) != 0 || raw.st_gid != model.group { mode = mode & ~0o070 | (mode & 0o007) << 3 }
        _ = fchmod(descriptor, mode_t(mode))
    }

    /// Gives a file that this user has made to the group of another user's file, beside which it is. Otherwise that user
    /// could not open it. By its path: closing a descriptor would drop SQLite's locks.
    static func share(_ path: String, like model: FileAccess) {
        var raw = stat()
        guard model.owner != geteuid(), lstat(path, &raw) == 0, raw.st_uid == geteuid(), raw.st_gid != model.group
        else { return }
        _ = lchown(path, uid_t.max, model.group)
    }

    /// Opens a file for reading; nil with `errno` set on failure.
    static func openForReading(_ path: String) -> Int32? {
        let descriptor = awayFromStandardStreams(retrying { open(path, O_RDONLY | O_CLOEXEC) })
        return descriptor >= 0 ? descriptor : nil
    }

    /// Moves a new descriptor, which no child inherits, above those of standard input, output and error. The system
    /// gives a new file the lowest number that is free: in a process that was started without these streams, what the
    /// program prints would be written to the file. SQLite does the same with its files.
    ///
    /// - Returns: -1 with `errno` set on failure, also if `descriptor` is -1.
    static func awayFromStandardStreams(_ descriptor: Int32) -> Int32 {
        guard (STDIN_FILENO...STDERR_FILENO).contains(descriptor) else { return descriptor }
        let moved = fcntl(descriptor, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)
        let code = errno
        close(descriptor)
        errno = code
        return moved
    }

    static func closeFile(_ descriptor: Int32) {
        close(descriptor)
    }

    /// Reads the available bytes, up to `limit`.
    ///
    /// - Returns: an empty array at the end; nil with `errno` set on failure.
    package static func readSome(_ descriptor: Int32, upTo limit: Int) -> [UInt8]? {
        var failed = false
        let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, count in
            let taken = retrying { read(descriptor, buffer.baseAddress, limit) }
            failed = taken < 0
            count = max(0, taken)
        }
        return failed ? nil : bytes
    }

    /// The last bytes of a regular file, fewer if it is shorter; nil with `errno` set on failure.
    static func end(ofFile path: String, _ count: Int) -> [UInt8]? {
        guard let descriptor = openForReading(path) else { return nil }
        defer { closeFile(descriptor) }
        let size = status(ofDescriptor: descriptor).map { Int($0.size) } ?? 0
        guard lseek(descriptor, off_t(max(0, size - count)), SEEK_SET) >= 0 else { return nil }
        return readSome(descriptor, upTo: count)
    }

    /// Writes all bytes. False with `errno` set on failure.
    static func writeAll(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { bytes in
            let written = transfer(bytes.count) { done in
                write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            }
            return written == bytes.count
        }
    }

    static let isFolder = EISDIR
    static let noSuchFile = ENOENT
    static let fileExists = EEXIST
    static let notUTF8 = EILSEQ

    /// Writes a line to stderr.
    package static func printError(_ line: String) {
        _ = writeAll(Array("\(line)\n".utf8), to: STDERR_FILENO)
    }

    @discardableResult
    package static func remove(_ path: String) -> Bool { unlink(path) == 0 }

    /// Moves a file, replacing an existing one. False with `errno` set on failure.
    static func move(_ from: String, to target: String) -> Bool {
        rename(from, target) == 0
    }

    /// A way to give a file a name that must be free.
    enum FreeNameMethod: CaseIterable {
        /// All or nothing, in one step.
        case rename
        /// All or nothing, but a crash can leave both names. Needs hard links, which some file systems lack.
        case link
        /// Reserves the name with an empty file, then renames. A crash can leave the empty file.
        case reserve
    }

    /// Gives a file a name that must be free, by the first method that the file system supports. False with `errno` set
    /// on failure.
    static func moveToFreeName(
        _ from: String, _ target: String, methods: [FreeNameMethod] = FreeNameMethod.allCases
    ) -> Bool {
        for method in methods {
            let isMoved =
                switch method {
                case .rename: renameOnly(from, target)
                case .link: linkOnly(from, target)
                case .reserve: reserve(from, target)
                }
            if isMoved { return true }
            guard [EPERM, ENOTSUP, EOPNOTSUPP, ENOSYS, EINVAL, EMLINK].contains(errno) else { return false }
        }
        return false
    }

    private static func linkOnly(_ from: String, _ target: String) -> Bool {
        guard link(from, target) == 0 else { return false }
        if unlink(from) == 0 { return true }
        // A journal with two names is refused. In a folder from which nothing can be removed both stay.
        unlink(target)
        errno = EACCES
        return false
    }

    private static func renameOnly(_ from: String, _ target: String) -> Bool {
        #if os(Linux)
            rename_to_free_name(from, target) == 0
        #else
            renamex_np(from, target, UInt32(RENAME_EXCL)) == 0
        #endif
    }

    private static func reserve(_ from: String, _ target: String) -> Bool {
        guard let descriptor = create(target, like: nil) else { return false }
        closeFile(descriptor)
        if rename(from, target) == 0 { return true }
        let code = errno
        unlink(target)
        errno = code
        return false
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
