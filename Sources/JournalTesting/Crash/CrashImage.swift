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

    func hasSameJournal(as other: CrashImage) -> Bool {
        ["", "-wal"].allSatisfy { files[$0] == other.files[$0] }
    }
}

/// A folder for one journal at a time, in memory if the system has `/dev/shm`.
final class CrashFolder: Sendable {
    static let suffixes = ["", "-wal", "-lock"]

    let path: String
    var journal: String { path + "/journal.db" }

    init() throws {
        let name = "crash-matrix-\(UUID().uuidString)"
        let manager = FileManager.default
        if (try? manager.createDirectory(atPath: "/dev/shm/\(name)", withIntermediateDirectories: false)) != nil {
            path = "/dev/shm/\(name)"
        } else {
            path = manager.temporaryDirectory.appendingPathComponent(name).path
            try manager.createDirectory(atPath: path, withIntermediateDirectories: true)
        }
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The current content of the files.
    func files() -> [String: Data] {
        var files: [String: Data] = [:]
        for suffix in CrashFolder.suffixes { files[suffix] = FileManager.default.contents(atPath: journal + suffix) }
        return files
    }

    /// Replaces all files with these.
    func put(_ files: [String: Data]) throws {
        for suffix in CrashFolder.suffixes + ["-shm"] { try? FileManager.default.removeItem(atPath: journal + suffix) }
        for (suffix, data) in files { try data.write(to: URL(fileURLWithPath: journal + suffix)) }
    }
}
