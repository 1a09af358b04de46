import Foundation

/// The one folder for everything a run leaves on the disk.
struct TemporaryFolder: Sendable {
    let path: String

    /// - Parameter parent: nil for this package's build folder. Not the system's temporary folder, as that is often in
    ///   memory, where a sync costs nothing.
    init(in parent: String?) throws(BenchError) {
        path = "\(parent ?? SourceTree.package + "/.build")/journal-bench-\(ProcessInfo.processInfo.processIdentifier)"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchError(message: "The folder \(path) cannot be made: \(error.localizedDescription)")
        }
    }

    /// Lends a new folder, and removes it afterwards: each measurement begins on fresh files.
    func withFreshFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let fresh = "\(path)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: fresh, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: fresh) }
        return try await body(fresh)
    }

    /// Moved away first, so that a measurement that still runs cannot put something new into it meanwhile.
    func remove() {
        let condemned = path + "-removed"
        guard rename(path, condemned) == 0 else { return }
        try? FileManager.default.removeItem(atPath: condemned)
    }
}
