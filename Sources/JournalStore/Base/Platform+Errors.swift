// The error numbers of the system.

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Platform {
    package static var lastError: Int32 { errno }

    /// Makes ``lastError`` 0 until a call fails: a call that succeeds leaves it as it is.
    @inline(__always)
    static func clearLastError() { errno = 0 }

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
    static func isWithoutLocks(_ code: Int32) -> Bool { [ENOLCK, ENOTSUP, EOPNOTSUPP, ENOSYS].contains(code) }

    /// Whether a file could not be mapped into memory because the file system shares no memory.
    static func isWithoutSharedMemory(_ code: Int32) -> Bool { code == ENODEV }

    /// Whether this process may not make a file as large as it would have to be.
    static func isFileSizeLimit(_ code: Int32) -> Bool { code == EFBIG }

    /// Whether SQLite reports a read that failed with this error number as a damaged page.
    static func isFailedRead(_ code: Int32) -> Bool {
        [EIO, ENXIO, ERANGE].contains(code)
    }

    /// Repeats a call as long as a signal interrupts it. Not for `fsync`: after an error its outcome is unknown.
    static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result != -1 || errno != EINTR { return result }
        }
    }

    static let isFolder = EISDIR
    static let noSuchFile = ENOENT
    static let fileExists = EEXIST
    static let notUTF8 = EILSEQ
}
