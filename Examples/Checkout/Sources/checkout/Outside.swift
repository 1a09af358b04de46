import Foundation

/// The services of the example: a file with a line for each thing that has happened, `charge KEY` or `undo charge KEY`. It survives the
/// app, as a real service would, and does nothing twice for the same key.
actor Outside {
    private let file: FileHandle
    private var happened: Set<String>
    private let pause: Duration

    init(path: String, pause: Duration) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        happened = Set(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init))
        file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        self.pause = pause
    }

    nonisolated var services: Services {
        Services(
            perform: { job, key in try await self.perform(job, key) },
            undo: { job, key in try await self.undo(job, key) })
    }

    private func perform(_ job: Job, _ key: String) async throws {
        try await Task.sleep(for: pause)
        // One card in ten is declined.
        if job == .charge, key.hasSuffix("0") || key.hasSuffix("8") { throw Refused() }
        if happened.contains("undo \(job) \(key)") { throw Refused() }
        try write("\(job) \(key)")
    }

    private func undo(_ job: Job, _ key: String) async throws {
        try await Task.sleep(for: pause)
        // Also if it was not done: then it must not be done any more.
        try write("undo \(job) \(key)")
    }

    private func write(_ line: String) throws {
        if happened.insert(line).inserted { try file.write(contentsOf: Data("\(line)\n".utf8)) }
    }
}
