import JournalStore
import Testing
import TortureKit

/// Numbers and histories that are unusual, but sound.
@Suite struct `Sound journals that look odd` {
    @Test func `a machine may have a date as its version`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let machine = Machine<Int, Int, Void>("m", version: 202_406_011_200, initialState: 0) { $0 += $1 }
        for round in 1...2 {
            let journal = try Journal(path: path)
            let store = try await journal.open(machine, stream: "a")
            #expect(store.state == round - 1)
            try await store.dispatch(1)
            try await journal.close()
            #expect(try JournalReader(path: path).verify().isSound)
        }
    }

    @Test func `a cursor that meets pruned entries says so`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try openJournal(path) { $0.snapshots = SnapshotPolicy(everySteps: 10) }
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { $0 += $1 }
        let store = try await journal.open(machine, stream: "a")
        try await store.dispatch(contentsOf: Array(1...40))
        try await store.close()
        let replayer = try Replayer(machine, reader: JournalReader(path: path), stream: "a")
        var cursor = try replayer.cursor(at: 3)
        _ = try await journal.prune("a", before: 35)
        let next = await journalError { try cursor.move(to: 4) }
        #expect(next?.code == .noUsableSnapshot)
        #expect((cursor.step, cursor.state) == (3, 6), "the cursor stays")
        // Another snapshot takes the place of the pruned entries.
        try cursor.move(to: 40)
        #expect(cursor.state == 820)
        let later = await journalError { try replayer.cursor(at: 3) }
        #expect(later?.code == .noUsableSnapshot)
        try await journal.close()
    }

    @Test func `a detached copy numbers its transactions from the beginning`() async throws {
        let folder = try TemporaryFolder()
        let (path, copy) = (folder.path("a.db"), folder.path("b.db"))
        for _ in 1...4 {
            let journal = try Journal(path: path)
            try await journal.openStream("a", machine: "m").append("1")
            try await journal.close()
        }
        try await JournalReader(path: path).backup(to: copy, detached: true)
        #expect(try Shell(copy, readOnly: true)("SELECT last_transaction FROM stream") == ["0"])
        #expect(try JournalReader(path: copy).verify().isSound)
    }
}
