import Foundation

/// The model and the tools of the example: a file with a line for each request. It survives the app, as a real service
/// would.
actor Outside {
    private let file: FileHandle
    /// How many requests are still answered. The next one is done, and its answer never comes, as if the line were cut.
    private var answers: Int

    init(path: String, answers: Int) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        self.answers = answers
    }

    /// A model without a network: it asks for page after page.
    nonisolated var services: Services {
        Services(
            think: { history, key in
                try await self.work("think", key)
                let page = history.count
                if page <= 10 { return .call(tool: "read", input: "page \(page)") }
                return .answer("\(history.dropFirst().compactMap { Int($0) }.reduce(0, +))")
            },
            call: { tool, input, key in
                try await self.work("\(tool) \(input)", key)
                return input.split(separator: " ").last.map(String.init) ?? ""
            })
    }

    /// Takes a while, and leaves a line.
    private func work(_ what: String, _ key: String) async throws {
        try await Task.sleep(for: .milliseconds(60))
        try file.write(contentsOf: Data("\(what) \(key)\n".utf8))
        if answers == 0 { try await Task.sleep(for: .seconds(86_400)) }
        answers -= 1
    }
}
