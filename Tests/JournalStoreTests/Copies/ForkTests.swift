import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A fork`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private var fork: String { folder.path("fork.db") }

    /// A journal with a stopped clock: the same actions have the same digests, so only the seeds can differ.
    private func open(_ path: String) throws -> Journal { try openJournal(path, clock) }

    private func drawn(_ path: String, more: Int) async throws -> [String] {
        let journal = try open(path)
        let store = try await journal.openPlay()
        for _ in 0..<more { try await store.dispatch(.draw) }
        #expect(try journal.reader.verify().problems == [])
        try await journal.close()
        return store.state.drawn
    }

    // MARK: History

    @Test func `a fork keeps the past and draws other random values after it`() async throws {
        let past = try await drawn(path, more: 5)
        try await JournalReader(path: path).fork("a", at: 3, to: fork)
        let first = try await drawn(fork, more: 2)
        #expect(first.count == 5)
        #expect(first[..<3] == past[..<3])
        #expect(first[3] != past[3])
        #expect(first[4] != past[4])
        // The digests are the same, so the seed makes the difference.
        let digests = "SELECT hex(digest) FROM entry ORDER BY step"
        #expect(try sql(digests, fork) == sql(digests))
        // Each fork has its own seed.
        try await JournalReader(path: path).fork("a", at: 3, to: folder.path("other.db"))
        let other = try await drawn(folder.path("other.db"), more: 1)
        #expect(other[..<3] == past[..<3])
        #expect(other[3] != first[3] && other[3] != past[3])
    }

    @Test func `a fork has the same state when it is folded from the first entry`() async throws {
        let past = try await drawn(path, more: 4)
        try await JournalReader(path: path).fork("a", at: 2, to: fork)
        let states = try await drawn(fork, more: 3)
        try Shell(fork)("DELETE FROM snapshot")
        #expect(try await drawn(fork, more: 0) == states)
        #expect(states[..<2] == past[..<2])
    }

    @Test func `a fork can be forked again, before and after its own fork step`() async throws {
        let past = try await drawn(path, more: 4)
        try await JournalReader(path: path).fork("a", at: 2, to: fork)
        let once = try await drawn(fork, more: 4)
        for step in [1, 2, 4, 6] {
            let twice = folder.path("twice-\(step).db")
            try await JournalReader(path: fork).fork("a", at: step, to: twice)
            let states = try await drawn(twice, more: 1)
            #expect(states[..<step] == once[..<step])
            #expect(step == 6 || states[step] != once[step])
            #expect(step > 3 || states[step] != past[step])
            try Shell(twice)("DELETE FROM snapshot")
            #expect(try await drawn(twice, more: 0) == states)
        }
        #expect(try sql("SELECT step FROM seed", folder.path("twice-1.db")) == ["1"])
        #expect(try sql("SELECT step FROM seed", folder.path("twice-2.db")) == ["2"])
        #expect(try sql("SELECT step FROM seed", folder.path("twice-4.db")) == ["2", "4"])
    }

    /// No entry is left: the next one has the first position again.
    @Test func `a fork at the base of a pruned stream is sound, and stays it`() async throws {
        let journal = try open(path)
        let store = try await journal.openPlay()
        try await journal.openStream("b", machine: "m").append("1")
        for _ in 0..<4 { try await store.dispatch(.draw) }
        try await store.forgetsThePast(journal)
        try await journal.close()
        try await JournalReader(path: path).fork("a", at: 5, to: fork)
        #expect(try sql("SELECT count(*) FROM entry", fork) == ["0"])
        #expect(try JournalReader(path: fork).verify().problems == [])
        #expect(try await drawn(fork, more: 2).count == 6)
        let detached = folder.path("detached.db")
        try await JournalReader(path: fork).backup(to: detached, detached: true)
        #expect(try await drawn(detached, more: 1).count == 7)
    }

    @Test func `a fork is another journal, which has had no writer`() async throws {
        _ = try await drawn(path, more: 3)
        try await JournalReader(path: path).fork("a", at: 3, to: fork)
        let ids = "SELECT hex(journal) FROM writer"
        #expect(try sql(ids, fork) != sql(ids))
        #expect(try sql("SELECT epoch, path FROM writer", fork) == ["0|"])
        #expect(try sql("SELECT head_step, settled_step, crash_loop IS NULL FROM stream", fork) == ["3|3|1"])
        let notices = Box<[Notice]>([])
        let journal = try openJournal(fork) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.isEmpty)
        try await journal.close()
        #expect(try sql("SELECT epoch, path FROM writer", fork) == ["1|\(fork)"])
    }

    @Test func `a fork knows only the dispatch IDs of the entries it has`() async throws {
        let journal = try open(path)
        let store = try await journal.openPlay()
        for number in 1...4 { try await store.dispatch(.add(number), id: "id \(number)") }
        try await journal.reader.fork("a", at: 2, to: fork)
        try await journal.close()
        let forked = try open(fork)
        let other = try await forked.openPlay()
        #expect(try await other.dispatch(.add(2), id: "id 2").step == 2)
        #expect(try await other.dispatch(.add(30), id: "id 3").step == 3)
        #expect(other.state.sum == 33)
        try await forked.close()
    }

    @Test func `a fork is refused if acknowledged entries are missing after its step`() async throws {
        do {
            let stream = try await open(path).openStream("a", machine: "m")
            for number in 1...20 { try await stream.append("\(number)") }
        }
        // In the last frame.
        try damage(path + "-wal", at: try bytes(path + "-wal").count - 100) { $0 ^= 1 }
        let error = await journalError { try await JournalReader(path: path).fork("a", at: 3, to: fork) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.file == path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.contains("fork") })
    }
}
