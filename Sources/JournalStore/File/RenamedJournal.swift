/// A database that was renamed without its WAL: its newest entries are in the WAL at the old path.
enum RenamedJournal {
    /// - Parameters:
    ///   - path: the path that the last writer has recorded; empty in a copy that no writer has opened.
    ///   - file: the path of the database now.
    /// - Returns: nil if no WAL was left behind.
    static func error(_ path: String, now file: String) -> JournalError? {
        let left = path + "-wal"
        guard !path.isEmpty, path != file, Platform.status(ofPath: path) == nil,
            let wal = Platform.status(ofPath: left), wal.size > 0,
            (Platform.status(ofPath: file + "-wal")?.size ?? 0) == 0
        else { return nil }
        return JournalError(
            .acknowledgedEntriesLost, "The journal was renamed from \(path), but its newest entries are in \(left).",
            advice: "Rename that file, and its -lock, as well: to \(file)-wal and \(file)-lock.", file: file)
    }
}
