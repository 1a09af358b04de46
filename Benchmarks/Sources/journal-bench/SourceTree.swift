import Foundation

/// Where the sources stand that this program was built from: it is built and run in the same place.
enum SourceTree {
    /// This package's folder.
    static let package = ancestor(of: #filePath, 3)

    /// The library's own schema, so that the floor has the same tables whatever they become.
    static func schema() throws -> String {
        let file = ancestor(of: package, 1) + "/migrations/0001_journal.sql"
        do {
            return try String(contentsOfFile: file, encoding: .utf8)
        } catch {
            throw BenchError(message: "The schema cannot be read from \(file): build and run this in the source tree.")
        }
    }

    private static func ancestor(of path: String, _ levels: Int) -> String {
        (0..<levels).reduce(path) { path, _ in (path as NSString).deletingLastPathComponent }
    }
}
