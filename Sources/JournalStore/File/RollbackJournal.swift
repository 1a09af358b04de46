/// The rollback journal beside a file, which SQLite applies as soon as it opens the file, and then deletes.
/// https://www.sqlite.org/lockingv3.html#hot_journals
struct RollbackJournal {
    private let file: String
    private let path: String
    private let status: FileStatus

    /// - Returns: nil if there is none.
    init?(of file: String) {
        path = FileBeside.rollback.path(of: file)
        guard let status = Platform.status(ofLink: path) else { return nil }
        (self.file, self.status) = (file, status)
    }

    /// How SQLite ends a rollback journal that names another file: the *super-journal* of a transaction over several
    /// databases.
    private static let mark: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// Refuses one that no journal leaves. If it names another file, SQLite would delete that one; if it is a pipe, the
    /// opening would never end.
    func check() throws(JournalError) {
        guard status.kind == .regular else {
            throw error("\(path) is not a regular file.")
        }
        guard let end = Platform.end(ofFile: path, Self.mark.count) else { return }
        if end == Self.mark {
            throw error("\(path) names another file, which SQLite would delete: a journal never leaves such a file.")
        }
    }

    private func error(_ message: String) -> JournalError {
        JournalError(
            .corrupt, message, advice: "Find out where it comes from, and move it away. Nothing was touched.",
            file: file)
    }
}
