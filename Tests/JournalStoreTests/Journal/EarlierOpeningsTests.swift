import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// What is left for the next opening beside the content of the journal.
@Suite struct `What an opening leaves to the next one` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    @Test func `a tool's opening is not recorded, and leaves what the last process was reducing to the app`()
        async throws
    {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let marks = try #require(journal.writer.marks)
        marks.set(try #require(marks.take()), stream.id, 1)
        try await journal.close()
        let tool = try openJournal(path) { $0.isTool = true }
        #expect(tool.writer.remains.reducing.isEmpty)
        try await tool.close()
        #expect(try Shell(path, readOnly: true)("SELECT number FROM opening") == ["1"])
        let app = try Journal(path: path)
        #expect(app.writer.remains.reducing == [StepMarks.Mark(stream: stream.id, step: 1)])
        #expect(try Shell(path, readOnly: true)("SELECT number FROM opening") == ["1", "2"])
        try await app.close()
        // Only one opening gets it.
        #expect(try Journal(path: path).writer.remains.reducing.isEmpty)
    }

    /// From this, the next opening derives how long it holds back effects that may crash the process.
    @Test func `an opening knows when the last process was last known to be alive`() async throws {
        let now = Box(Timestamp(microseconds: 1_000_000))
        let journal = try openJournal(path) { $0.wallClock = { now.value } }
        #expect(journal.writer.remains.lastSeen == nil)
        for seconds in [1, 3, 9] {
            now.change { $0 = Timestamp(microseconds: Int64(seconds) * 1_000_000) }
            journal.writer.noteAlive()
            // After what was asked for before.
            try await journal.writer.exclusively { _ in }
        }
        now.change { $0 = Timestamp(microseconds: 60_000_000) }
        try await journal.close()
        #expect(try Journal(path: path).writer.remains.lastSeen == Timestamp(microseconds: 9_000_000))
    }

    @Test func `the newest openings are remembered, and no older ones`() async throws {
        for _ in 1...2 { try await Journal(path: path).close() }
        try Shell(path).change("UPDATE opening SET number = \(JournalOpening.most) WHERE number = 2")
        try await Journal(path: path).close()
        #expect(
            try JournalReader(path: path).openings().map(\.number) == [JournalOpening.most, JournalOpening.most + 1])
    }

    @Test func `a close is no error although another program reads the journal`() async throws {
        let journal = try Journal(path: path)
        try await journal.openStream("a", machine: "m").append("1")
        let shell = try Shell(path, readOnly: true)
        try shell("BEGIN; SELECT count(*) FROM entry")
        try await journal.close()
        try shell("COMMIT")
        let again = try Journal(path: path)
        #expect(try again.reader.entries(in: "a").map(\.action) == ["1"])
        try await again.close()
    }
}
