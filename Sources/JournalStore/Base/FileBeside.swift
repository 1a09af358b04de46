/// A file beside a journal: the end of its name, which follows the name of the journal.
package enum FileBeside: String, CaseIterable {
    case wal = "-wal"
    case shm = "-shm"
    /// SQLite's rollback journal.
    case rollback = "-journal"
    /// The sidecar with the lock of the writer.
    case lock = "-lock"
    /// Where the writer listens for operators.
    case socket = "-socket"
    /// A journal that was set aside after an I/O error; later ones also have a number.
    case damaged = "-damaged"
    /// The copy that replaces it.
    case salvage = "-salvage"
    /// A file that is being made, before it gets its name.
    case partial = "-partial"
    /// An intermediate copy on the way to it.
    case draft = "-draft"

    /// Those that are no copies of a journal, so that nothing can be read from them alone.
    static let parts: [FileBeside] = [.wal, .shm, .rollback, .lock]

    package func path(of journal: String) -> String { journal + rawValue }

    /// The path of the journal that such a file lies beside; nil if the path has another end.
    ///
    /// The bytes are compared: the hyphen can be part of a larger `Character`.
    func journal(of path: String) -> String? {
        let end = rawValue.utf8
        var path = path.utf8[...]
        // Of several damaged files, all but the first have a number.
        if self == .damaged, let number = path.lastIndex(of: UInt8(ascii: "-")), number < path.indices.last ?? number,
            path[number...].dropFirst().allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains)
        {
            path = path[..<number]
        }
        guard path.suffix(end.count).elementsEqual(end) else { return nil }
        return String(Substring(path.dropLast(end.count)))
    }
}
