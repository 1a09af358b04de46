import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 3: state is a fold` {
    @Test func `the state is the same with all snapshots, with some, and with none`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal = try openJournal(path) {
            $0.snapshots = SnapshotPolicy(everySteps: 7)
            $0.retention = Retention(last: 100)
        }
        var store = try await journal.openPlay()
        for number in 1...50 { try await store.dispatch(number % 5 == 0 ? .draw : .add(number)) }
        let state = store.state
        try await journal.close()
        let count = try Shell(path)("SELECT count(*) FROM snapshot")
        #expect((Int(count[0]) ?? 0) > 3)
        for statement in [
            "SELECT 1", "DELETE FROM snapshot WHERE step > 20", "DELETE FROM snapshot WHERE step % 2 = 0",
            "DELETE FROM snapshot",
        ] {
            try Shell(path)(statement)
            journal = try openJournal(path) { $0.snapshots = .never }
            store = try await journal.openPlay()
            #expect(store.state == state, "after \(statement)")
            try await journal.close()
        }
        #expect(try Shell(path)("SELECT count(*) FROM snapshot") == ["0"])
    }

    @Test func `a snapshot that cannot be decoded is skipped`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        var journal = try openJournal(path)
        var store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        try await store.close()
        store = try await journal.openPlay()
        try await store.dispatch(.add(2))
        try await journal.close()
        try Shell(path)("UPDATE snapshot SET state = '{}' WHERE step = 2")
        let notices = Box<[Notice]>([])
        journal = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        store = try await journal.openPlay()
        #expect(notices.value.map(\.kind) == [.snapshotSkipped])
        #expect(notices.value.first?.error.step == 2)
        #expect(notices.value.first?.error.advice.contains("It only saves time") == true)
        #expect(notices.value.first?.error.advice.contains("--drop=2 --yes` removes it") == true)
        #expect(store.state.sum == 3)
        #expect(store.recovery.snapshotStep == 1)
        #expect(store.recovery.skippedSnapshots.map(\.step) == [2])
        #expect(store.recovery.description.contains("1 snapshot skipped"))
        try await journal.close()
    }
}
