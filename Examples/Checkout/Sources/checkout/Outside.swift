import Foundation

/// The services of the example: a file with a line for each thing that has happened, `charge KEY` or `undo charge KEY`.
/// It survives the app, as a real service would, and does nothing twice for the same key.
actor Outside {
    private let file: FileHandle
    private var happened: Set<String>
    private let pause: Duration
    /// What is done and never answered, as if the line were cut: `charge` and its undo, or only `undo charge`.
    private let silent: String?

    init(path: String, pause: Duration, silent: String?) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        happened = Set(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init))
        file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        self.pause = pause
        self.silent = silent
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
        try await answer("\(job) \(key)")
    }

    private func undo(_ job: Job, _ key: String) async throws {
        try await Task.sleep(for: pause)
        // Also if it was not done: then it must not be done any more.
        try await answer("undo \(job) \(key)")
    }

    /// Notes what has happened, and answers.
    private func answer(_ line: String) async throws {
        if happened.insert(line).inserted { try file.write(contentsOf: Data("\(line)\n".utf8)) }
        if let silent, line.contains("\(silent) ") { try await Task.sleep(for: .seconds(86_400)) }
    }
}
