import Foundation

/// The bank of the example: a file with a line for each call and for each charge, `asked KEY` and `charged KEY CENTS`.
/// It survives the service, as a real bank would, and charges once for a key.
actor Bank {
    private let file: FileHandle
    private var asked: Set<String> = []
    /// The keys that were charged, in order.
    private var charged: [String] = []
    /// How long a call takes until the card is charged, and how long the answer takes.
    private let pauses: (charge: Duration, answer: Duration)

    init(path: String, pauses: (charge: Duration, answer: Duration)) throws {
        if !FileManager.default.fileExists(atPath: path) {
            _ = FileManager.default.createFile(atPath: path, contents: nil)
        }
        for line in try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") {
            let words = line.split(separator: " ").map(String.init)
            if words[0] == "asked" { asked.insert(words[1]) } else { charged.append(words[1]) }
        }
        file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seekToEnd()
        self.pauses = pauses
    }

    nonisolated var payments: Payments {
        Payments { cents, key in try await self.charge(cents, key) }
    }

    private func charge(_ cents: Int, _ key: String) async throws -> String {
        let isFirst = asked.insert(key).inserted
        try write("asked \(key)")
        try await Task.sleep(for: pauses.charge)
        if cents > 100_000 { throw Declined() }
        // An amount that ends with 13 has bad luck.
        if cents % 100 == 13, isFirst { throw LineDown() }
        if !charged.contains(key) {
            try write("charged \(key) \(cents)")
            charged.append(key)
        }
        try await Task.sleep(for: pauses.answer)
        return "R-\((charged.firstIndex(of: key) ?? 0) + 1)"
    }

    private func write(_ line: String) throws {
        try file.write(contentsOf: Data("\(line)\n".utf8))
    }
}

private struct LineDown: Error {}
