#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A temporary folder for one journal, in memory if the system has `/dev/shm`. It is removed with its last reference.
final class JournalFolder: Sendable {
    let path: String
    var journal: String { path + "/journal.db" }

    init() throws {
        let name = "journal-testing-\(UUID().uuidString)"
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
}
