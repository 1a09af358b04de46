import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Another program that holds the database: nothing can be written meanwhile.
@Suite struct `A file that another program holds` {
    private let notices = Box<[Notice.Kind]>([])
    private let folder: TemporaryFolder
    private let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func open(_ clock: ManualClock? = nil) throws -> Journal {
        try openJournal(path) {
            $0.busyTimeout = .zero
            if let clock { $0.follow(clock) }
            $0.report = { [notices] notice in notices.change { $0.append(notice.kind) } }
        }
    }

    @Test func `is reported once, and again when it is held the next time`() async throws {
        let stream = try await open().openStream("a", machine: "m")
        let shell = try Shell(path)
        for time in 1...2 {
            try shell("BEGIN IMMEDIATE")
            for _ in 0..<3 { #expect(await journalError { try await stream.append("never") }?.code == .busy) }
            #expect(notices.value == Array(repeating: .busy, count: time))
            try shell("ROLLBACK")
            #expect(try await stream.append("\(time)").step == time)
        }
    }

    @Test func `is reported, and not the snapshot that could not be stored meanwhile`() async throws {
        let journal = try openJournal(path) {
            $0.busyTimeout = .zero
            $0.snapshots = SnapshotPolicy(everySteps: 1)
            $0.report = { [notices] notice in notices.change { $0.append(notice.kind) } }
        }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        stream.offerSnapshot(at: 1) { "{}" }
        await stream.finishSnapshot()
        #expect(try journal.reader.snapshotSteps(in: "a").isEmpty)
        #expect(notices.value == [.busy])
        try shell("ROLLBACK")
        try await journal.close()
    }

    @Test(arguments: ["store", "host", "release"])
    func `is not hidden if the last records of a stream cannot be written`(_ owner: String) async throws {
        let journal = try openJournal(path) {
            $0.busyTimeout = .zero
            $0.report = { [notices] notice in notices.change { $0.append(notice.kind) } }
        }
        let door = Door()
        let stage = Stage { name in
            .run(name) {
                await door.pass()
                return nil
            }
        }
        let host = owner == "host" ? try journal.host(play, environment: stage) : nil
        var store =
            if let host { try await host.store(for: "a") } else {
                try await journal.open(play, stream: "a", environment: stage) as Store<Play, Score>?
            }
        try await store?.dispatch(.start("pay"))
        await door.comers(1)
        try await store?.flush()
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        door.open()
        await store?.join(bodiesOnly: true)
        if owner == "release" {
            store = nil
            await journal.waitForRelease(of: "a")
        }
        let error = await journalError { try await journal.close() }
        try shell("ROLLBACK")
        if owner == "release" {
            #expect(notices.value.contains(.recordIncomplete))
        } else {
            #expect(error?.code == .busy)
            #expect(error?.stream == "a")
        }
        #expect(try shell("SELECT status FROM effect_run") == ["running"])
        try? await journal.close()
    }

    @Test func `is reported while a timer waits for it, and the timer fires afterwards`() async throws {
        let clock = ManualClock()
        let machine = Machine<String, [String], Void>("m", initialState: []) { action, state, _ in
            state.append(action)
            return action == "start" ? .after(.seconds(5), "rang", id: "bell") : .none
        }
        let journal = try open(clock)
        let store = try await journal.open(machine, stream: "a", clock: clock)
        try await store.dispatch("start")
        try await store.flush()
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        await clock.advance(by: .seconds(6))
        #expect(store.state == ["start"])
        #expect(notices.value == [.busy])
        try shell("ROLLBACK")
        await clock.advance(by: .seconds(6))
        #expect(store.state == ["start", "rang"])
        try await journal.close()
    }
}
