// What the system says of a file: which one it is, who may use it, how much room it has.

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

extension Platform {
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
    static func hasRoom(forFiles count: Int = 1, in folder: String) -> Bool {
        var raw = statvfs()
        return statvfs(folder, &raw) != 0 || raw.f_files == 0 || raw.f_favail >= count
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
}
