// Files that are read and written without SQLite.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Platform {
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
}
