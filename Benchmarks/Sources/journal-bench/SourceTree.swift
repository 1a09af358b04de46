import Foundation

/// The sources from which this program was built: it must run where it was built.
enum SourceTree {
    /// This package's folder.
    static let package = ancestor(of: #filePath, 3)

    /// The library's own schema, so that the floor always has the same tables.
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
