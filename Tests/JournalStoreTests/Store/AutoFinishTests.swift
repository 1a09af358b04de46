import Testing
import TortureKit

@testable import JournalStore

private struct InOrder: Oldest1SuspendNewEffectQueue {}

/// A `send` that a body has passed on.
private final class Callback: Sendable {
    private let held = Watched<Effect<Play>.Send?>(nil)

    var now: Effect<Play>.Send? { held.read { $0 } }

    func set(_ send: Effect<Play>.Send?) { held.change { $0 = send } }

    /// Waits until there is one.
    func send() async throws -> Effect<Play>.Send { try #require(await held.wait { $0 }) }
}

@Suite struct `An effect that does not end with its closure` {
    private let callback = Callback()
    let returned = Signal()

    /// Its closure passes `send` on and returns.
    private func open(_ journal: Journal, autoFinish: Bool = false) async throws -> Store<Play, Score> {
        try await journal.openPlay { [callback, returned] name in
            switch name {
            case "next": .run(name, queue: InOrder()) { .ended(name) }
            default:
                .stream(name, id: name, queue: InOrder(), autoFinish: autoFinish) { send, context in
                    callback.set(send)
                    if context.isResumed { try await send(.ended("resumed after \(context.delivered)")) }
                    returned.send()
                    if name == "fails" { throw ServiceIsDown() }
                }
            }
        }
    }

    private struct ServiceIsDown: Error {}

    @Test func `actions are sent until finish, and then the effect is completed`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await open(journal)
        let dispatched = try await store.dispatch(.start("x"))
        await returned.wait()
        let send = try await callback.send()
        for name in ["a", "b"] { try await send(.ended(name)) }
        #expect(store.state.log == ["a", "b"])
        try await store.flush()
        let query = "SELECT status, delivered FROM effect_run"
        #expect(try Shell(folder.path("a.db"), readOnly: true)(query) == ["running|2"])
        send.finish()
        await #expect(throws: CancellationError.self) { try await send(.ended("late")) }
        await dispatched.completion()
        #expect(!dispatched.isCancelled)
        try await store.flush()
        #expect(try Shell(folder.path("a.db"), readOnly: true)(query) == ["completed|2"])
        #expect(store.state.log == ["a", "b"])
        try await journal.close()
    }

    @Test func `with autoFinish nothing is sent after the closure has returned`() async throws {
        let store = try await open(try Journal.inMemory(), autoFinish: true)
        try await store.dispatch(.start("x")).completion()
        let send = try await callback.send()
        await #expect(throws: CancellationError.self) { try await send(.ended("late")) }
        #expect(store.state.log == [])
    }

    @Test func `it holds the slot of its queue until it ends`() async throws {
        let store = try await open(try Journal.inMemory())
        try await store.dispatch(.start("x"))
        let next = try await store.dispatch(.start("next"))
        await returned.wait()
        let send = try await callback.send()
        try await send(.ended("x"))
        #expect(try await store.liveRuns().map { "\($0.name) \($0.status)" } == ["x running", "next waiting"])
        send.finish()
        await next.completion()
        #expect(store.state.log == ["x", "next"])
    }

    @Test func `an action that was sent before finish is delivered`() async throws {
        let store = try await Journal.inMemory().openPlay { [callback] name in
            .stream(name, autoFinish: false) { send, _ in
                callback.set(send)
            }
            // Called between the send and its commit.
            .map { (action: Play) in
                callback.now?.finish()
                return action
            }
        }
        for round in 0..<100 {
            let dispatched = try await store.dispatch(.start("x"))
            try await callback.send()(.add(1))
            callback.set(nil)
            await dispatched.completion()
            #expect(store.state.sum == round + 1)
        }
    }

    @Test func `it ends when the last copy of send is released`() async throws {
        let store = try await open(try Journal.inMemory())
        let dispatched = try await store.dispatch(.start("x"))
        try await callback.send()(.ended("a"))
        callback.set(nil)
        await dispatched.completion()
        #expect(store.state.log == ["a"])
        #expect(try await store.liveRuns() == [])
    }

    @Test func `it fails when its closure throws, and sends nothing any more`() async throws {
        let store = try await open(try Journal.inMemory())
        let dispatched = try await store.dispatch(.start("fails"))
        await dispatched.completion()
        #expect(dispatched.errors.first is ServiceIsDown)
        let send = try await callback.send()
        await #expect(throws: CancellationError.self) { try await send(.ended("late")) }
        #expect(store.state.log == [])
    }

    @Test(arguments: ["cancel", "close"])
    func `after a cancel or the end of the store nothing is sent`(_ end: String) async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db"))
        let store = try await open(journal)
        let dispatched = try await store.dispatch(.start("x"))
        await returned.wait()
        let send = try await callback.send()
        try await send(.ended("a"))
        if end == "cancel" { try await dispatched.cancel() } else { try await store.close() }
        await #expect(throws: (any Error).self) { try await send(.ended("late")) }
        send.finish()
        await dispatched.completion()
        #expect(store.state.log == ["a"])
        try await journal.close()
        #expect(
            try Shell(folder.path("a.db"), readOnly: true)("SELECT status, delivered FROM effect_run")
                == [end == "cancel" ? "cancelled|1" : "running|1"])
    }

    @Test(arguments: [0, 1, 3])
    func `after a crash its closure is called again, unless it had ended`(_ sent: Int) async throws {
        let deaths = try Deaths()
        var journal = try deaths.open()
        var store = try await open(journal)
        try await store.dispatch(.start("x"))
        await returned.wait()
        let send = try await callback.send()
        for _ in 0..<sent { try await send(.add(1)) }
        try await store.flush()
        try deaths.kill()
        // The dead process knows nothing of its successor.
        try await send(.add(100))
        try await journal.close()

        journal = try deaths.open()
        store = try await open(journal)
        await returned.wait()
        #expect(store.state == Score(sum: sent, log: ["resumed after \(sent)"]))
        let again = try await callback.send()
        try await again(.add(10))
        again.finish()
        _ = try await store.dispatch(.start("next")) { $0.log.last == "next" }
        try await store.flush()
        try deaths.kill()
        try await journal.close()

        journal = try deaths.open()
        store = try await open(journal)
        #expect(store.recovery.resumed == [])
        #expect(store.state == Score(sum: sent + 10, log: ["resumed after \(sent)", "next"]))
        #expect(
            try deaths("SELECT name, status, delivered FROM effect_run ORDER BY step").first
                == "x|completed|\(sent + 2)")
        try await journal.close()
    }

    @Test func `restart: cancel ends it at the next opening`() async throws {
        let deaths = try Deaths()
        let effect: @Sendable (String) -> Effect<Play> = { [returned, callback] name in
            .stream(name, restart: .cancel, autoFinish: false) { send, _ in
                callback.set(send)
                returned.send()
            }
        }
        var journal = try deaths.open()
        let store = try await journal.openPlay(effects: effect)
        try await store.dispatch(.start("x"))
        await returned.wait()
        try await store.flush()
        try deaths.kill()
        try await journal.close()
        journal = try deaths.open()
        #expect(try await journal.openPlay(effects: effect).recovery.cancelled.map(\.name) == ["x"])
        try await journal.close()
    }
}
