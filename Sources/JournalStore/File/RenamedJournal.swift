/// A database that was opened for writing at another path: its newest entries can be in the WAL there.
enum RenamedJournal {
    /// - Parameters:
    ///   - path: the path that the last writer has recorded; empty in a copy that no writer has opened.
    ///   - file: the path of the database now.
    /// - Returns: nil if no WAL was left behind.
    static func error(_ path: String, now file: String) -> JournalError? {
        func statusOfWAL(of journal: String) -> FileStatus? {
            Platform.status(ofPath: FileBeside.wal.path(of: journal))
        }
        guard !path.isEmpty, path != file, let left = statusOfWAL(of: path), left.size > 0 else { return nil }
        let wal = statusOfWAL(of: file)
        guard let there = Platform.status(ofPath: path) else {
            return (wal?.size ?? 0) == 0 ? renamed(path, file) : nil
        }
        // A folder that is mounted twice has the same WAL at both paths, unless a close has just removed it.
        guard there.identity == Platform.status(ofPath: file)?.identity, left.identity != wal?.identity,
            wal != nil || statusOfWAL(of: path) != nil
        else { return nil }
        return JournalError(
            .severalNames,
            "This is the same file as \(path), where it was opened for writing; its newest entries are in \(path)-wal.",
            advice: "Use it at that path. To have it in a container, mount its folder and never the file alone.",
            file: file)
    }

    private static func renamed(_ path: String, _ file: String) -> JournalError {
        if let holder = try? Sidecar.currentHolder(besides: path) {
            return JournalError(
                .inUse,
                "The journal was renamed from \(path), and process \(holder.identity.process) on \(holder.identity.host) "
                    + "still has it open there.",
                advice:
                    "Rename it back. Or end that process, and then rename \(path)-wal and \(path)-lock as well: to \(file)-wal "
                    + "and \(file)-lock.", file: file)
        }
        return JournalError(
            .acknowledgedEntriesLost,
            "The journal was renamed from \(path), but its newest entries are in \(path)-wal.",
            advice: "Rename that file, and its -lock, as well: to \(file)-wal and \(file)-lock.", file: file)
    }
}
