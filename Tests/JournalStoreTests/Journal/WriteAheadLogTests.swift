import CFaultVFS
import CJournalSQLite
import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// When the WAL is copied into the database file, and how long it becomes.
@Suite struct `The write-ahead log` {
    let folder: TemporaryFolder
    let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    @Test(arguments: [Execution.inPlace, .ownThread])
    func `the WAL does not grow while there is always something to commit`(_ execution: Execution)
        async throws
    {
        let journal = try openJournal(path) {
            $0.checkpointPages = 10
            $0.durability = .normal
            $0.execution = execution
        }
        let stream = try await journal.openStream("a", machine: "m")
        // Each batch is submitted before the writer has finished with the one before it.
        @Sendable func submit(_ left: Int, _ done: @escaping @Sendable () -> Void) {
            journal.submit(Batch(entries: [NewEntry(stream: stream.id, action: "1")])) { _ in
                if left > 0 { submit(left - 1, done) } else { done() }
            }
        }
        await withCheckedContinuation { continuation in submit(1_000) { continuation.resume() } }
        let size = try #require(Platform.status(ofPath: path + "-wal")?.size)
        #expect(size < 100 * 4096, "a commit writes at least two pages")
        try await journal.close()
    }

    @Test func `the WAL is checkpointed between commits and reused`() async throws {
        let journal = try openJournal(path) {
            $0.durability = .normal
            $0.checkpointPages = 50
        }
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...2_000 { try await stream.append("\(number)") }
        let statistics = try journal.reader.statistics()
        #expect(statistics.databaseBytes > 100_000)
        #expect(statistics.walBytes < 1_000_000)
        #expect(try await journal.verify().isSound)
    }

    /// A WAL of 500 pages is abnormally large.
    private let smallWAL: @Sendable (inout JournalOptions) -> Void = {
        $0.durability = .normal
        $0.checkpointPages = 50
        $0.abnormalPages = 500
    }

    @Test func `a WAL that grew during a long read is truncated afterwards`() async throws {
        let journal = try openJournal(path, smallWAL)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("0")
        let shell = try Shell(path, readOnly: true)
        try shell("BEGIN; SELECT count(*) FROM entry")
        for number in 1...1_000 { try await stream.append("\(number)") }
        #expect(try journal.reader.statistics().walBytes > 500 * 4_096)
        try shell("COMMIT")
        for number in 1...200 { try await stream.append("\(number)") }
        #expect(try journal.reader.statistics().walBytes < 500 * 4_096)
        #expect(try await journal.verify().isSound)
    }

    @Test func `a commit waits for another program also after a WAL was truncated`() async throws {
        let journal = try openJournal(path) {
            smallWAL(&$0)
            $0.busyTimeout = .seconds(60)
        }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("0")
        let shell = try Shell(path, readOnly: true)
        try shell("BEGIN; SELECT count(*) FROM entry")
        for number in 1...1_000 { try await stream.append("\(number)") }
        try shell("COMMIT")
        for number in 1...200 { try await stream.append("\(number)") }
        #expect(try journal.reader.statistics().walBytes < 500 * 4_096)
        let isHeld = Signal()
        async let holding: Void = onThread { [path] in
            // Also if it fails.
            defer { isHeld.send() }
            let other = try Shell(path)
            try other("BEGIN IMMEDIATE")
            isHeld.send()
            Platform.pause(milliseconds: 300)
            try other("COMMIT")
        }
        await isHeld.wait()
        try await stream.append("waits")
        try await holding
        try await journal.close()
    }

    @Test func `a checkpoint that a reader holds up reserves the room that the database file will need`() async throws {
        let journal = try openJournal(path, smallWAL)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("0")
        let shell = try Shell(path, readOnly: true)
        try shell("BEGIN; SELECT count(*) FROM entry")
        for _ in 1...200 { try await stream.append("\"" + String(repeating: "x", count: 1_000) + "\"") }
        let needed = try #require(Int64(try Shell(path, readOnly: true)("PRAGMA page_count")[0])) * 4_096
        #expect(try #require(Platform.status(ofPath: path)?.size) > needed)
        try shell("COMMIT")
        for number in 1...100 { try await stream.append("\(number)") }
        try await journal.close()
        let pages = try Shell(path, readOnly: true)("PRAGMA page_count")
        #expect(Platform.status(ofPath: path)?.size == Int64(pages[0]).map { $0 * 4_096 })
        #expect(try JournalReader(path: path).verify().isSound)
    }

    @Test func `a WAL on a disk that was full is truncated also if a short read is open at first`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path) {
            $0.durability = .normal
            $0.vfs = vfs.name
            $0.busyTimeout = .zero
        }
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...50 { try await stream.append("\(number)") }
        let shell = try Shell(path, readOnly: true)
        try shell("BEGIN; SELECT count(*) FROM entry")
        vfs.fail(FAULT_WRITE, suffix: "-wal", code: SQLITE_FULL)
        #expect(await journalError { try await stream.append("51") }?.code == .diskFull)
        try await stream.append("51")
        try shell("COMMIT")
        for number in 52...80 { try await stream.append("\(number)") }
        #expect(try journal.reader.statistics().walBytes < 100 * 4_096)
        try await journal.close()
    }

    @Test func `a WAL on a disk that was full is truncated as soon as it is copied`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path) {
            $0.durability = .normal
            $0.vfs = vfs.name
        }
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...50 { try await stream.append("\(number)") }
        vfs.fail(FAULT_WRITE, suffix: "-wal", code: SQLITE_FULL)
        #expect(await journalError { try await stream.append("51") }?.code == .diskFull)
        try await stream.append("51")
        #expect(try journal.reader.statistics().walBytes < 40 * 4_096)
        try await journal.close()
    }

    @Test func `a WAL is truncated also while there is always a short read`() async throws {
        let journal = try openJournal(path, smallWAL)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("0")
        let isOver = Box(false)
        defer { isOver.change { $0 = true } }
        Thread.detachNewThread { [path] in
            guard let first = try? JournalDatabase.openForReading(path, vfs: nil),
                let second = try? JournalDatabase.openForReading(path, vfs: nil)
            else { return }
            var (next, last) = (first, second)
            while !isOver.value {
                // Begins before the other one ends.
                try? next.beginRead()
                last.rollback()
                (next, last) = (last, next)
                Platform.pause(milliseconds: 1)
            }
        }
        for number in 1...4_000 { try await stream.append("\(number)") }
        // Each commit writes at least two pages. Some of the waits can be too short on a busy machine.
        #expect(try journal.reader.statistics().walBytes < 3_000 * 4_096)
        #expect(try await journal.verify().isSound)
    }
}
