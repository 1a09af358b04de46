#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A folder that is held open, so that a look at a name in it does not walk the path each time. What happens to the folder's own name
/// it does not see.
final class HeldFolder: Sendable {
    private let descriptor: Int32

    /// - Returns: nil where it cannot be opened, as where it may be gone through and not be read.
    init?(_ path: String) {
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if descriptor < 0 { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// The status of what has that name, links followed; nil where there is nothing.
    func status(of name: String) -> FileStatus? {
        var raw = stat()
        // Given as a text, it would be copied each time.
        return name.withCString { fstatat(descriptor, $0, &raw, 0) } == 0 ? FileStatus(raw) : nil
    }

    /// Whether there is anything of that name. Does not ask for its times.
    func has(_ name: String) -> Bool {
        name.withCString { faccessat(descriptor, $0, F_OK, 0) } == 0
    }
}
