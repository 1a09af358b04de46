import Foundation

/// The folder for all files of a run.
struct TemporaryFolder: Sendable {
    let path: String

    /// - Parameter parent: nil for this package's build folder. Not the system's temporary folder, which is often in
    ///   memory, where a sync costs nothing.
    init(in parent: String?) throws(BenchError) {
        path = "\(parent ?? SourceTree.package + "/.build")/journal-bench-\(ProcessInfo.processInfo.processIdentifier)"
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            throw BenchError(message: "The folder \(path) cannot be created: \(error.localizedDescription)")
        }
    }

    /// Passes a new folder, and removes it afterwards, so that each measurement begins with fresh files.
    func withFreshFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
        let fresh = "\(path)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: fresh, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: fresh) }
        return try await body(fresh)
    }

    /// Renames the folder first, so that a measurement that is still running cannot create files in it meanwhile.
    func remove() {
        let condemned = path + "-removed"
        guard rename(path, condemned) == 0 else { return }
        try? FileManager.default.removeItem(atPath: condemned)
    }
}
