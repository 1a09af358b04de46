import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Nothing leaks` {
    /// Counts its instances.
    final class Counted: Sendable {
        let count: Box<Int>

        init(_ count: Box<Int>) {
            self.count = count
            count.change { $0 += 1 }
        }

        deinit { count.change { $0 -= 1 } }
    }

    struct Environment: Sendable { let counted: Counted }

    @Test func `a store that is released after ten thousand effects leaves no task, environment or statement`()
        async throws
    {
        struct Queue: EffectQueue {
            var name: Int
            var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
        }
        let environments = Box(0)
        let bodies = Box(0)
        let machine = Machine<Play, Score, Environment>("play", initialState: Score()) { action, state, environment in
            guard case .add(let number) = action else { return .none }
            state.sum += 1
            let inside = Counted(bodies)
            switch number % 5 {
            case 0:
                return .run("one", id: number) { [environment] in
                    withExtendedLifetime((inside, environment)) { .ended("") }
                }
            case 1: return .fireAndForget("two", queue: Queue(name: number % 10)) { withExtendedLifetime(inside) {} }
            case 2:
                return .run("three", id: number) {
                    try await forever()
                    return withExtendedLifetime(inside) { nil }
                }
            case 3:
                return .cancel(id: number - 1)
                    + .run("four", retry: .constant(maxAttempts: 2, delay: .zero)) { throw CancellationError() }
            default:
                return .run("five", delay: .seconds(1000)) { withExtendedLifetime(inside) { nil } }
            }
        }
        var options = Journal.Options()
        options.checksCoding = false
        let journal = try Journal.inMemory(options: options)
        weak var engine: StoreEngine<Play, Score>?
        do {
            let store = try await journal.open(
                machine, stream: "a", environment: Environment(counted: Counted(environments)))
            engine = store.engine
            for start in stride(from: 0, to: 10_000, by: 500) {
                try await store.dispatch(contentsOf: (start..<start + 500).map { .add($0) })
            }
            let last = try await store.dispatch(.add(10_001))
            await last.completion()
            #expect(environments.value > 0)
            #expect(bodies.value > 0)
        }
        // Opening the stream again waits until all of that is gone.
        let again = try await journal.openPlay()
        try await again.close { _ in true }
        while environments.value > 0 || bodies.value > 0 || engine != nil { await Task.yield() }
        #expect(journal.stores.withLock { $0.byStream.count } == 0)
        // Closing throws if a statement is unfinished.
        try await journal.close()
    }

    @Test func `a store with resumed effects is deallocated when released, even before it is stable`() async throws {
        var options = Journal.Options()
        // The opening never becomes stable: the sleep until then does not end.
        options.sleep = { _ in try await forever() }
        let journal = try Journal.inMemory(options: options)
        let running: @Sendable (String) -> Effect<Play> = { name in
            .fireAndForget(name) { try await forever() }
        }
        let first = try await journal.openPlay(effects: running)
        try await first.dispatch(.start("x"))
        try await first.close()
        weak var engine: StoreEngine<Play, Score>?
        do {
            let store = try await journal.openPlay(effects: running)
            #expect(store.recovery.resumed.count == 1)
            engine = store.engine
        }
        let again = try await journal.openPlay()
        try await again.close()
        while engine != nil { await Task.yield() }
        try await journal.close()
    }

    @Test func `a store is deallocated although the app has kept the context of an effect that has ended`()
        async throws
    {
        let journal = try Journal.inMemory()
        let kept = Box<EffectContext?>(nil)
        weak var engine: StoreEngine<Play, Score>?
        do {
            let store = try await journal.openPlay { name in
                .fireAndForget(name) { context in kept.change { $0 = context } }
            }
            engine = store.engine
            let dispatched = try await store.dispatch(.start("x"))
            await dispatched.completion()
        }
        await journal.waitForRelease(of: "a")
        while engine != nil { await Task.yield() }
        #expect(kept.value != nil)
        try await journal.close()
    }

    @Test func `a store keeps nothing that the condition of a cancelled wait has captured`() async throws {
        final class Captured: Sendable {}
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        var captured: Captured? = Captured()
        weak let left = captured
        let isLooking = Signal()
        let task = Task { [captured] in
            try await store.dispatch(.add(1)) { _ in
                withExtendedLifetime(captured) { isLooking.send() }
                return false
            }
        }
        captured = nil
        await isLooking.wait()
        task.cancel()
        _ = await task.result
        #expect(left == nil)
        try await journal.close()
    }

    @Test func `a store keeps nothing of effects that have ended`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay { name in
            .run(name, id: name) { .ended(name) } + .run("bad", id: name) { throw CancellationError() }
        }
        for number in 0..<200 {
            let dispatched = try await store.dispatch(
                .start("\(number)"), cancelID: number, trackingFeedback: true)
            await dispatched.completion()
        }
        try await store.flush()
        let engine = store.engine
        #expect(engine.effects.bodies.isEmpty)
        #expect(engine.effects.handles.isEmpty)
        #expect(engine.dispatches.trackers.isEmpty)
        #expect(engine.dispatches.roots.isEmpty)
        #expect(engine.scheduler.runs.isEmpty)
        #expect(engine.scheduler.queues.isEmpty)
        #expect(engine.waitingForState.isEmpty)
        try await store.close()
    }

    @Test func `a body whose action was committed when its store ended does not wait for ever`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let engine = store.engine
        let stamp = Appended.Stamp(time: .now(), digest: Digest(of: ""))
        let answers = Box<[any Error]>([])
        let send = SendRequest<Play>(key: RunKey(step: 1), .action(attempt: 1), action: .add(1), text: "") { result in
            if case .failure(let error) = result { answers.change { $0.append(error) } }
        }
        engine.fail(engine.location.error(.notStorable, "The store failed.", advice: "Open it again."))
        engine.sent(send, .recorded(nil), .success([Appended(step: 2, position: 2, stamp: stamp)]))
        #expect(answers.value.count == 1)
        #expect(answers.value.first is CancellationError)
        try await journal.close()
    }
}
