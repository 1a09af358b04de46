import JournalStore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What is left of the world when the process is killed at one moment.
struct CrashImage: Sendable {
    /// The moment, in words.
    let moment: String
    /// Which one it is of its life, from 1 on.
    let number: Int
    /// What the files held, by what stands behind the name of the database.
    let files: [String: Data]
    let chronicle: Chronicle
    let time: Timestamp

    func hasSameJournal(as other: CrashImage) -> Bool {
        ["", "-wal"].allSatisfy { files[$0] == other.files[$0] }
    }
}

/// A folder for one journal at a time, in memory where the system has such a place.
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

    /// What the files hold right now.
    func files() -> [String: Data] {
        var files: [String: Data] = [:]
        for suffix in CrashFolder.suffixes { files[suffix] = FileManager.default.contents(atPath: journal + suffix) }
        return files
    }

    /// Puts these files there and no others, under the same names.
    func put(_ files: [String: Data]) throws {
        for suffix in CrashFolder.suffixes + ["-shm"] { try? FileManager.default.removeItem(atPath: journal + suffix) }
        for (suffix, data) in files { try data.write(to: URL(fileURLWithPath: journal + suffix)) }
    }
}
