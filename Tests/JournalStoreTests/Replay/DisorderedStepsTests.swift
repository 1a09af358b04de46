import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// The index of twelve entries has their steps in reverse order: after any of the first six steps, SQLite finds all
/// twelve.
@Suite struct `Entries that an index has in another order`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// - Parameter provisional: the step that counts only if its effect was still live.
    private func make(provisional: Int? = nil) async throws {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a", machine: "play")
        try await stream.append(contentsOf: Array(repeating: #"{"draw":{}}"#, count: 12))
        try await journal.close()
        if let provisional { try Shell(path)("UPDATE entry SET origin = 4 WHERE step = \(provisional)") }
        try reverseIndex()
    }

    /// Reverses the order of the cells on the only page of the index.
    ///
    /// https://www.sqlite.org/fileformat2.html#b_tree_pages
    private func reverseIndex() throws {
        let root = try sql("SELECT rootpage FROM sqlite_schema WHERE name = 'entry_by_step'").first.flatMap { Int($0) }
        let page = (try #require(root) - 1) * 4_096
        var file = try bytes(path)
        let count = Int(file[page + 4])
        #expect(count == 12)
        for index in 0..<count / 2 {
            let (cell, other) = (page + 8 + 2 * index, page + 8 + 2 * (count - 1 - index))
            for byte in 0...1 { file.swapAt(cell + byte, other + byte) }
        }
        try file.write(to: URL(fileURLWithPath: path))
    }

    private func expectDisorder(_ error: JournalError?) {
        #expect(error?.code == .corrupt)
        #expect(error?.stream == "a")
        let message = error?.message ?? "no error"
        #expect(message.contains("the entries are not in the order of their steps"), "\(message)")
    }

    @Test func `are an error for a page of steps, as for a page of entries`() async throws {
        try await make()
        let reader = try JournalReader(path: path)
        let stream = try reader.stream("a")
        for step in 1...6 {
            expectDisorder(await journalError { try reader.storedSteps(in: stream, from: step, limit: 100) })
            expectDisorder(await journalError { try reader.entries(in: stream, from: step, limit: 100) })
        }
    }

    @Test(arguments: [nil, 4, 9] as [Int?]) func `are an error for a fold, whether or not one of them is provisional`(
        _ provisional: Int?
    ) async throws {
        try await make(provisional: provisional)
        let reader = try JournalReader(path: path)
        let program = Program(play, environment: Stage(), checksCoding: false)
        let start = try Fold(program, reader, reader.stream("a"), atOrBefore: 0)
        for step in 0...5 {
            var fold = start.begun(with: Score(), at: step)
            // Far enough to read all twelve: then the last row has a step before those that were asked for.
            expectDisorder(await journalError { try fold.advance(to: 100) })
            var other = start.begun(with: Score(), at: step)
            expectDisorder(await journalError { _ = try other.next() })
            #expect(fold.step == step && other.step == step)
        }
    }
}
