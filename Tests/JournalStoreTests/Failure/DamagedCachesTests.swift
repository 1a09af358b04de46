import Foundation
import Testing
import TortureKit

@testable import JournalStore

/// A snapshot that is no base only saves time, so damage to it stops nothing.
@Suite struct `Damaged snapshots` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Thirty entries and three snapshots.
    private func make(base: Int? = nil) async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...30).map { "\($0)" })
        for step in [10, 20, 30] { try await stream.saveSnapshot("\(step)", at: step, isBase: step == base) }
        try await journal.close()
    }

    private func change(_ sql: String, renewsDigests: Bool) throws {
        if renewsDigests { try Shell(path).change(sql) } else { try Shell(path)(sql) }
    }

    @Test(
        arguments: [
            ("UPDATE snapshot SET state = 'x' WHERE step = 20", false),
            ("UPDATE snapshot SET digest = zeroblob(16) WHERE step = 20", false),
            ("UPDATE snapshot SET digest = zeroblob(16) WHERE step = 20", true),
            ("UPDATE snapshot SET digest = x'00' WHERE step = 20", true),
        ] as [(String, Bool)])
    func `a rescue leaves a damaged snapshot out and keeps every entry`(_ sql: String, _ renewsDigests: Bool)
        async throws
    {
        try await make()
        try change(sql, renewsDigests: renewsDigests)
        // A process that another test spawns has a copy of the lock for a moment.
        while (try? Sidecar(besides: path).mark = .stopped) == nil { await Task.yield() }
        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }
        #expect(notices.value.map(\.kind) == [.copiedAfterFailure])
        #expect(try journal.reader.entries(in: "a").map(\.step) == Array(1...30))
        #expect(try journal.reader.snapshotSteps(in: "a") == [10, 30])
        #expect(try await journal.verify().isSound)
    }

    @Test func `a replay is compared on after a damaged snapshot`() async throws {
        try await make()
        try change("UPDATE snapshot SET state = 'x' WHERE step = 20", renewsDigests: false)
        let machine = Machine<Int, Int, Void>("m", initialState: 0) { $0 = $1 }
        let report = try Replayer(machine, reader: JournalReader(path: path), stream: "a").verify()
        #expect(report.unreadableSnapshots == [20])
        #expect(report.snapshots == 2)
        #expect(report.isFaithful)
    }

    @Test(arguments: [false, true])
    func `a backup and a detached copy leave a damaged snapshot out`(_ isDetached: Bool) async throws {
        try await make()
        try change("UPDATE snapshot SET state = 'x' WHERE step = 20", renewsDigests: false)
        let copy = folder.path("b.db")
        try await JournalReader(path: path).backup(to: copy, detached: isDetached)
        let reader = try JournalReader(path: copy)
        #expect(try reader.verify().isSound)
        #expect(try reader.snapshotSteps(in: "a") == [10, 30])
        #expect(try reader.entries(in: "a").count == 30)
        // The journal itself is as it was.
        #expect(try JournalReader(path: path).verify().problems.map(\.step) == [20])
    }

    @Test func `a backup leaves more damaged snapshots out than a report lists`() async throws {
        try await keepManySnapshots(path)
        try change("UPDATE snapshot SET state = 'x' WHERE step > 5", renewsDigests: false)
        let copy = folder.path("b.db")
        try await JournalReader(path: path).backup(to: copy)
        #expect(try JournalReader(path: copy).snapshotSteps(in: "a") == [1, 2, 3, 4, 5])
    }

    @Test(
        arguments: [
            "UPDATE snapshot SET state = 'x' WHERE step = 20", "UPDATE snapshot SET is_base = 0 WHERE step = 20",
        ])
    func `a damaged base is no cache, and a copy with it is refused`(_ sql: String) async throws {
        try await make(base: 20)
        try change(sql, renewsDigests: false)
        let reader = try JournalReader(path: path)
        #expect(try !reader.verify().isSoundWithoutCaches)
        #expect(await journalError { try await reader.backup(to: folder.path("b.db")) }?.code == .copyNotVerified)
    }

    @Test func `a snapshot after which kept entries begin is no cache`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...30).map { "\($0)" })
        var batch = Batch()
        batch.runs = [EffectRun(stream: stream.id, step: 13, ordinal: 0, rootStep: 13, name: "x", status: .running)]
        batch.settled = [stream.id: 30]
        _ = try await journal.commit(batch)
        for step in [10, 20, 30] { try await stream.saveSnapshot("\(step)", at: step) }
        #expect(try await journal.prune("a", before: 25).keptEntries == 3)
        try await journal.close()
        try change("UPDATE snapshot SET state = 'x' WHERE step = 10", renewsDigests: false)
        #expect(try !JournalReader(path: path).verify().isSoundWithoutCaches)
        try change("UPDATE snapshot SET state = '10' WHERE step = 10", renewsDigests: false)
        try change("UPDATE snapshot SET state = 'x' WHERE step = 30", renewsDigests: false)
        let report = try JournalReader(path: path).verify()
        #expect(!report.isSound && report.isSoundWithoutCaches)
    }
}
