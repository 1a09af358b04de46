import Testing
import TortureKit

@testable import JournalStore

private struct Newest: Newest1EffectQueue {}
private struct InOrder: Oldest1SuspendNewEffectQueue {}
private struct NoMoreThanOne: Oldest1DiscardNewEffectQueue {}

@Suite struct `Whether a dispatch was cancelled` {
    let door = Door()

    private func open(_ journal: Journal) async throws -> Store<Play, Score> {
        try await journal.openPlay { [door] name in
            switch name {
            case "waits": .run(name, id: name, queue: InOrder()) { nil }
            case "occupies":
                .run(name, queue: InOrder()) {
                    await door.pass(); return nil
                }
            case "newest":
                .run(name, queue: Newest()) {
                    await door.pass(); return nil
                }
            case "only":
                .run(name, queue: NoMoreThanOne()) {
                    await door.pass(); return nil
                }
            case "fails": .run(name) { throw CancellationError() }
            case "leads on": .run(name) { .start("runs") }
            case "cancel by condition": .cancel { $0?.as(String.self) == "runs" }
            default:
                .run(name, id: name) {
                    await door.pass(); return nil
                }
            }
        }
    }

    @Test(arguments: ["dispatch", "reducer", "ID", "condition", "reducer's condition", "cancel ID"])
    func `a dispatch is cancelled when a running effect of it is`(_ canceller: String) async throws {
        let store = try await open(try Journal.inMemory())
        let dispatched = try await store.dispatch(.start("runs"), cancelID: "session")
        await door.comers(1)
        #expect(!dispatched.isCancelled)
        switch canceller {
        case "dispatch": try await dispatched.cancel()
        case "reducer": try await store.dispatch(.cancel("runs"))
        case "ID": try await store.cancel(id: "runs")
        case "condition": try await store.cancel { _ in true }
        case "reducer's condition": try await store.dispatch(.start("cancel by condition"))
        default: try await store.dispatch(.cancel("session"))
        }
        #expect(dispatched.isCancelled)
        await dispatched.completion()
        #expect(dispatched.errors.isEmpty)
        door.open()
    }

    @Test(arguments: ["dispatch", "ID"])
    func `a dispatch is cancelled when an effect of it is that has not started`(_ canceller: String) async throws {
        let store = try await open(try Journal.inMemory())
        let first = try await store.dispatch(.start("occupies"))
        let waiting = try await store.dispatch(.start("waits"))
        if canceller == "dispatch" { try await waiting.cancel() } else { try await store.cancel(id: "waits") }
        #expect(waiting.isCancelled)
        #expect(!first.isCancelled)
        door.open()
    }

    @Test func `a dispatch is cancelled when a newer effect of the queue replaces its own`() async throws {
        let store = try await open(try Journal.inMemory())
        let older = try await store.dispatch(.start("newest"))
        let newer = try await store.dispatch(.start("newest"))
        #expect(older.isCancelled)
        #expect(!newer.isCancelled)
        door.open()
    }

    @Test(arguments: ["dispatch", "ID", "reducer", "newer effect"])
    func `a dispatch is cancelled when the cancel action of its effect is reduced`(_ canceller: String) async throws {
        let dispatched = Lock<Dispatched<Play>?>(nil)
        let seen = Lock<[Bool?]>([])
        let machine = Machine<Play, Score, Void>("looks", initialState: Score()) { [door] action, _, _ in
            switch action {
            case .start(let name):
                return .run(name, id: name, queue: Newest()) {
                    await door.pass()
                    return nil
                }.onCancel(.ended("undone"))
            case .cancel(let name): return .cancel(id: name)
            case .ended:
                seen.withLock { $0.append(dispatched.withLock { $0?.isCancelled }) }
                return .none
            default: return .none
            }
        }
        let store = try await Journal.inMemory().open(machine, stream: "a")
        let first = try await store.dispatch(.start("runs"))
        dispatched.withLock { $0 = first }
        switch canceller {
        case "dispatch": try await first.cancel()
        case "ID": try await store.cancel(id: "runs")
        case "reducer": try await store.dispatch(.cancel("runs"))
        default: try await store.dispatch(.start("another"))
        }
        #expect(first.isCancelled)
        await first.completion()
        #expect(seen.withLock { !$0.isEmpty && $0.allSatisfy { $0 == true } })
        door.open()
        await store.join()
    }

    @Test func `an effect that its queue discards is not cancelled`() async throws {
        let store = try await open(try Journal.inMemory())
        try await store.dispatch(.start("only"))
        let discarded = try await store.dispatch(.start("only"))
        await discarded.completion()
        #expect(!discarded.isCancelled)
        door.open()
    }

    @Test(arguments: ["close", "close with a condition"])
    func `a close cancels nothing without a condition`(_ end: String) async throws {
        let store = try await open(try Journal.inMemory())
        let dispatched = try await store.dispatch(.start("runs"))
        if end == "close" { try await store.close() } else { try await store.close { _ in true } }
        await dispatched.completion()
        #expect(dispatched.isCancelled == (end != "close"))
        door.open()
    }

    @Test func `a dispatch whose effects complete or fail is not cancelled, nor is one without effects`() async throws {
        let store = try await open(try Journal.inMemory())
        door.open()
        for action in [Play.start("runs"), .start("fails"), .add(1)] {
            let dispatched = try await store.dispatch(action)
            await dispatched.completion()
            try await dispatched.cancel()
            #expect(!dispatched.isCancelled, "\(action)")
        }
    }

    @Test(arguments: [false, true])
    func `effects of feedback count if the dispatch tracks them`(_ tracksFeedback: Bool) async throws {
        let store = try await open(try Journal.inMemory())
        let dispatched = try await store.dispatch(.start("leads on"), trackingFeedback: tracksFeedback)
        await door.comers(1)
        try await dispatched.cancel()
        #expect(dispatched.isCancelled == tracksFeedback)
        door.open()
    }
}
