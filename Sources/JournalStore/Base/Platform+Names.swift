// Paths, and the names of files.

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

extension Platform {
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
}
