import Foundation
import JournalStore

/// The rows that read, all on a journal of the same size.
extension Row {
    private static let filled = 200_000

    /// Entries as values, a page at a time; the floor steps through the same rows and keeps nothing.
    static let reading = Row(name: "reading entries raw", entries: filled, target: .atLeast(0.50)) { bench in
        let entries = bench.scaled(filled)
        return try await bench.withFilledJournal(entries: entries) { path in
            // Both read the same file, each through a connection that stays open.
            let library = try await Library(path, durability: .normal)
            let floor = try Floor(opening: path)
            let finding = try await bench.compare(entries: entries) {
                try await measured(expecting: entries) { try floor.scan() }
            } library: {
                try await measured(expecting: entries) { try await library.read(pagesOf: 1_000) }
            }
            try await library.close()
            return finding
        }
    }

    static let verifying = Row(name: "verify \(NumberText.short(filled)) entries", entries: filled) { bench in
        let entries = bench.scaled(filled)
        return try await bench.withFilledJournal(entries: entries) { path in
            let library = try await Library(path, durability: .normal)
            let finding = try await bench.time {
                try await measured(expecting: entries) { try await library.journal.verify().entries }
            }
            try await library.close()
            return finding
        }
    }

    static let opening = Row(
        name: "open a journal and its stream, \(NumberText.short(filled)) entries", entries: filled
    ) { bench in
        try await bench.withFilledJournal(entries: bench.scaled(filled)) { path in
            try await bench.time {
                let start = ContinuousClock.now
                let library = try await Library(path, durability: .full)
                let time = ContinuousClock.now - start
                try await library.close()
                return time
            }
        }
    }

    /// The bytes that an entry takes in the file in addition to its action.
    static let size = Row(name: "bytes an entry beside its payload", entries: filled, target: .atMost(64)) { bench in
        let entries = bench.scaled(filled)
        return try await bench.withFilledJournal(entries: entries) { path in
            let attributes = try FileManager.default.attributesOfItem(atPath: path)
            guard let bytes = attributes[.size] as? NSNumber else {
                throw BenchError(message: "The size of \(path) cannot be read.")
            }
            return Finding(.bytes, [bytes.doubleValue / Double(entries) - bench.payloads.averageSize])
        }
    }

    /// Measures a time, and checks that the body has seen every entry.
    private static func measured(
        expecting entries: Int, _ body: () async throws -> Int
    ) async throws -> Duration {
        let start = ContinuousClock.now
        let found = try await body()
        let time = ContinuousClock.now - start
        guard found == entries else { throw BenchError(message: "\(found) of \(entries) entries were found.") }
        return time
    }
}
