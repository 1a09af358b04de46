import JournalStore

/// Notices that a journal may have changed, without opening it: by the sizes and times of its files.
struct JournalWatch {
    private struct Stamp: Hashable {
        var file: FileStatus?
        var log: FileStatus?
    }

    /// A file system notes times in steps: a write just after another one can leave the same time.
    private static let step: Int64 = 100_000_000

    private let path: String
    private var last: Stamp?
    /// Whether the files could have been written again at the time that they have.
    private var isRecent = false

    init(_ path: String) {
        self.path = path
    }

    /// Whether there may be something new since the last call.
    mutating func mayHaveChanged() -> Bool {
        let stamp = Stamp(
            file: Platform.status(ofPath: path), log: Platform.status(ofPath: FileBeside.wal.path(of: path)))
        let newest = max(stamp.file?.modified ?? 0, stamp.log?.modified ?? 0)
        let wasRecent = isRecent
        let now = Platform.wallClock() * 1_000
        isRecent = now - JournalWatch.step < newest && newest < now + JournalWatch.step
        defer { last = stamp }
        return stamp != last || wasRecent
    }
}
