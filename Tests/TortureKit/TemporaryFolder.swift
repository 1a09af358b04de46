import Foundation

/// A folder that is removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter parent: by default the system's temporary folder.
    package init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        path = parent.appendingPathComponent("journal-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String {
        path + "/" + name
    }
}
