#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A temporary folder for one journal, in memory if the system has `/dev/shm` with enough room: a container often gives it
/// 64 MB for all tests that run at the same time. It is removed with its last reference.
final class JournalFolder: Sendable {
    /// The room that it needs there, in bytes.
    static let roomInMemory: UInt64 = 1 << 30

    let path: String
    var journal: String { path + "/journal.db" }

    init() throws {
        let name = "journal-testing-\(UUID().uuidString)"
        let manager = FileManager.default
        let memory = try? manager.attributesOfFileSystem(forPath: "/dev/shm")
        if (memory?[.systemFreeSize] as? UInt64 ?? 0) >= Self.roomInMemory,
            (try? manager.createDirectory(atPath: "/dev/shm/\(name)", withIntermediateDirectories: false)) != nil
        {
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
