import Dispatch
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Law 7: dead is not cancelled` {
    let folder: TemporaryFolder
    let path: String
    let door = Door()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Effects that wait at a door and then return an action, cancelled or not.
    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay { [door] name in
            .run(name, id: name) {
                await door.pass()
                return .ended(name)
            }
        }
    }

    private func statuses() throws -> [String] {
        try Shell(path, readOnly: true)("SELECT name, status FROM effect_run ORDER BY step")
    }

    @Test(arguments: ["store", "journal", "release", "process"])
    func `after the end of a store its runs are still recorded as running`(_ end: String) async throws {
        var journal: Journal? = try openJournal(path)
        var store: Store<Play, Score>? = try await open(#require(journal))
        try await store?.dispatch(.start("x"))
        await door.comers(1)
        try await store?.flush()
        switch end {
        case "store": try await store?.close()
        case "journal": try await journal?.close()
        case "release": break
        default:
            // What a kill leaves: the file as it is now.
            try Shell(path)("VACUUM INTO '\(folder.path("killed.db"))'")
        }
        store = nil
        door.open()
        try await journal?.close()
        journal = nil
        #expect(try statuses() == ["x|running"])
        #expect(try Shell(path)("SELECT count(*) FROM entry") == ["1"], "late results are dropped")

        // The next opening resumes the run.
        let again = try openJournal(end == "process" ? folder.path("killed.db") : path)
        store = try await open(again)
        #expect(store?.recovery.resumed.map(\.name) == ["x"])
        _ = try await store?.dispatch(.add(1)) { $0.log == ["x"] }
        try await again.close()
    }

    @Test(arguments: ["cancel", "close"])
    func `a body that has not begun does not begin after a cancellation or a close`(_ end: String) async throws {
        let executor = LateExecutor(.background)
        var options = Journal.Options()
        options.executor = executor
        let journal = try Journal(path: path, options: options)
        let begun = Lock(0)
        let store = try await journal.openPlay { name in
            .run(name, id: name, priority: .background) {
                begun.withLock { $0 += 1 }
                return nil
            }
        }
        try await store.dispatch(.start("x"))
        if end == "cancel" { try await store.cancel(id: "x") } else { try await store.close() }
        #expect(executor.runLate() == 1)
        #expect(begun.withLock { $0 } == 0)
        try await journal.close()
    }

    /// It has done nothing, so no restart policy decides about it.
    @Test(arguments: EffectRun.Restart.allCases, ["close", "two closes", "release"])
    func `a body that has not begun when its store is closed begins after the next opening`(
        _ restart: EffectRun.Restart, _ end: String
    ) async throws {
        let executor = LateExecutor(.background)
        var options = Journal.Options()
        options.executor = executor
        options.execution = .ownThread
        let journal = try Journal(path: path, options: options)
        let begun = Signal()
        let policy: Effect<Play>.Restart =
            switch restart {
            case .resume: .resume
            case .cancel: .cancel
            case .ask: .ask
            case .dispatch: .dispatch(.add(100))
            }
        func open() async throws -> Store<Play, Score> {
            try await journal.openPlay { name in
                .run(name, priority: .background, restart: policy) {
                    begun.send()
                    return .ended(name)
                }
            }
        }
        var store: Store<Play, Score>? = try await open()
        try await store?.dispatch(.start("x"))
        try await store?.flush()
        #expect(try statuses() == ["x|running"])
        switch end {
        case "close": try await store?.close()
        case "two closes": try await closeTwice(#require(store), journal)
        default: break
        }
        store = nil
        await journal.waitForRelease(of: "a")
        #expect(executor.runLate() == 1)
        #expect(try statuses() == ["x|delayed"])
        #expect(try Shell(path)("SELECT attempts, started FROM effect_run") == ["0|"])
        let again = try await open()
        #expect(again.recovery.resumed.map(\.name) == ["x"])
        executor.end()
        await begun.wait()
        try await again.says("x")
        #expect(try Shell(path)("SELECT attempts FROM effect_run") == ["1"])
        try await journal.close()
    }

    /// The second close comes while a dispatch holds up the first one.
    private func closeTwice(_ store: Store<Play, Score>, _ journal: Journal) async throws {
        let committing = DispatchSemaphore(value: 0)
        journal.writer.later { _ in committing.wait() }
        async let dispatched = store.dispatch(.add(1))
        while store.engine.gate.withLock({ $0.queue.isIdle }) { await Task.yield() }
        async let first: Void = store.close()
        while !store.engine.isClosed { await Task.yield() }
        async let second: Void = store.close()
        for _ in 1...1_000 { await Task.yield() }
        committing.signal()
        _ = try await (dispatched, first, second)
    }

    @Test(arguments: ["reducer", "caller", "app", "close"])
    func `only a cancel records a run as cancelled, and then the run sends nothing`(_ canceller: String) async throws {
        let journal = try openJournal(path)
        let store = try await open(journal)
        let dispatched = try await store.dispatch(.start("x"))
        await door.comers(1)
        switch canceller {
        case "reducer":
            try await store.dispatch(.cancel("x"))
            try await store.flush()
        case "caller": try await dispatched.cancel()
        case "app": try await store.cancel(id: "x")
        default: try await store.close { _ in true }
        }
        // Committed when the call returns.
        #expect(try statuses() == ["x|cancelled"])
        await dispatched.completion()
        door.open()
        try? await store.close()
        let again = try await open(journal)
        #expect(again.recovery.resumed == [])
        #expect(again.state.log == [])
        try await again.dispatch(.add(1))
        #expect(again.state == Score(sum: 1))
        try await journal.close()
    }

    @Test func `a dispatch of a released store says that its effects were not cancelled`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let door = Door()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) {
                await door.pass()
                return nil
            }
        }
        var store: Store<Play, Score>? = try await journal.openPlay(effects: effects)
        let dispatched = try #require(try await store?.dispatch(.start("x")))
        await door.comers(1)
        store = nil
        // Waits until the release is finished.
        let again = try await journal.openPlay(effects: effects)
        let error = await #expect(throws: JournalError.self) { try await dispatched.cancel() }
        #expect(error?.code == .closed)
        #expect(try await again.liveRuns().map(\.status) == [.running])
        door.open()
        try await journal.close()
    }

    @Test func `a run is fenced before its task is cancelled`() async throws {
        let journal = try openJournal(path)
        let said = Box<[String]>([])
        let ended = Signal()
        let store = try await journal.openPlay { [door] name in
            .stream(name, id: name) { send, _ in
                await withTaskCancellationHandler {
                    await door.pass()
                } onCancel: {
                    // Even a send at the moment of the cancellation is too late.
                    door.open()
                }
                do { try await send(.ended(name)) } catch { said.change { $0.append("\(type(of: error))") } }
                ended.send()
            }
        }
        try await store.dispatch(.start("x"))
        await door.comers(1)
        try await store.dispatch(.cancel("x"))
        await ended.wait()
        #expect(said.value == ["CancellationError"])
        try await store.dispatch(.add(1))
        #expect(store.state == Score(sum: 1))
        try await journal.close()
    }

    @Test func `a body whose own action cancels it does not continue after send`() async throws {
        let journal = try openJournal(path)
        let (said, ended) = (Box<[String]>([]), Signal())
        let store = try await journal.openPlay { name in
            .stream(name, id: name) { send in
                defer { ended.send() }
                try await send(.ended(name))
                said.change { $0.append("sent") }
                do { try await send(.cancel(name)) } catch {
                    said.change { $0.append("\(StoredName.of(type(of: error)))") }
                    throw error
                }
                said.change { $0.append("went on") }
            }
        }
        try await store.dispatch(.start("x"))
        await ended.wait()
        #expect(said.value == ["sent", "CancellationError"])
        #expect(store.state.log == ["x"])
        try await journal.close()
        #expect(try Shell(path, readOnly: true)("SELECT status FROM effect_run") == ["cancelled"])
    }

    @Test func `a CancellationError of a run that was not cancelled is a failure`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.openPlay { name in .run(name) { throw CancellationError() } }
        let dispatched = try await store.dispatch(.start("x"))
        await dispatched.completion()
        #expect(dispatched.errors.count == 1)
        try await store.flush()
        #expect(
            try Shell(path, readOnly: true)("SELECT status, error FROM effect_run") == ["failed|CancellationError()"])
        try await journal.close()
    }
}
