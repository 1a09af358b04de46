import JournalStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What survives if the process is killed at one moment.
struct CrashImage: Sendable {
    let moment: String
    /// The number of the moment in its run of the machine, from 1.
    let number: Int
    /// The content of the files, by their suffix after the name of the database.
    let files: [String: Data]
    let chronicle: Chronicle
    let time: Timestamp
    /// Whether bodies start only when the record of their start is written: also after this kill.
    let recordsStarts: Bool

    func hasSameJournal(as other: CrashImage) -> Bool {
        ["", FileBeside.wal.rawValue].allSatisfy { files[$0] == other.files[$0] }
    }
}

extension JournalFolder {
    static let suffixes = ["", FileBeside.wal.rawValue, FileBeside.lock.rawValue]

    /// The current content of the files.
    func files() -> [String: Data] {
        var files: [String: Data] = [:]
        for suffix in Self.suffixes { files[suffix] = FileManager.default.contents(atPath: journal + suffix) }
        return files
    }

    /// Replaces all files with these.
    func put(_ files: [String: Data]) throws {
        for suffix in Self.suffixes + [FileBeside.shm.rawValue] {
            try? FileManager.default.removeItem(atPath: journal + suffix)
        }
        for (suffix, data) in files { try data.write(to: URL(fileURLWithPath: journal + suffix)) }
    }
}
