import Foundation
import JournalStore

/// A folder that is removed with its last reference.
package final class TemporaryFolder: Sendable {
    package let path: String

    /// - Parameter parent: by default the system's temporary folder.
    package init(in parent: String? = nil) throws {
        let parent = parent.map { URL(fileURLWithPath: $0) } ?? FileManager.default.temporaryDirectory
        // On macOS the path is long, and a socket beside a journal needs a short one.
        let made = parent.appendingPathComponent("journal-\(UUID().uuidString.prefix(13))").path
        try FileManager.default.createDirectory(atPath: made, withIntermediateDirectories: true)
        // On macOS it leads through a link, and errors name the path that a journal has without links.
        path = Platform.resolve(made) ?? made
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    package func path(_ name: String) -> String {
        path + "/" + name
    }
}
