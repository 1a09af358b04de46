import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Listening to a store` {
    @Test func `states of quick steps are delivered together, and those of slow steps at once`() {
        let broadcast = StateBroadcast(StateBox(0), step: 0)
        let (stream, continuation) = AsyncStream<Int>.makeStream(bufferingPolicy: .bufferingOldest(100))
        var probes = 0
        func delivered() -> Int? {
            guard case .enqueued(let left) = continuation.yield(-1) else { return nil }
            probes += 1
            return 100 - left - probes
        }
        #expect(broadcast.add(continuation))
        #expect(delivered() == 1)
        broadcast.publish(StateBox(1), step: 1, at: 10_000)
        #expect(delivered() == 2, "the first one after a pause")
        broadcast.publish(StateBox(2), step: 2, at: 11_000)
        #expect(delivered() == 2)
        broadcast.publish(StateBox(3), step: 3, at: 13_001)
        #expect(delivered() == 4)
        broadcast.publish(StateBox(4), step: 4, at: 13_500)
        #expect(delivered() == 4)
        broadcast.tell()
        #expect(delivered() == 5)
        withExtendedLifetime(stream) {}
    }

    @Test func `a listener gets the current state first, and then each later one`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        var first = store.states.makeAsyncIterator()
        for _ in 0..<100 { try await store.dispatch(.add(1)) }
        var second = store.states.makeAsyncIterator()
        try await store.close()
        var seen: [Int] = []
        while let state = await first.next() { seen.append(state.sum) }
        #expect(seen == Array(1...101))
        #expect(await second.next()?.sum == 101)
        #expect(await second.next() == nil)
        // A listener that comes after the close gets the last state.
        var late = store.states.makeAsyncIterator()
        #expect(await late.next()?.sum == 101)
        #expect(await late.next() == nil)
    }

    @Test func `a listener that does not keep up gets the newest states, in bounded memory`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        var listener = store.states.makeAsyncIterator()
        for _ in 0..<10 { try await store.dispatch(contentsOf: Array(repeating: .add(1), count: 100)) }
        try await store.close()
        var seen: [Int] = []
        while let state = await listener.next() { seen.append(state.sum) }
        #expect(seen == Array(745...1000))
    }

    @Test(arguments: [1, 50, 100, 101])
    func `transitions replay past steps and go on with new ones, without gap or repetition`(_ start: Int) async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) {
            $0.durability = .normal
            $0.snapshots = SnapshotPolicy(everySteps: 30)
        }
        let store = try await journal.openPlay()
        for _ in 0..<100 { try await store.dispatch(.add(1)) }
        async let writing: Void = {
            for _ in 0..<100 { try await store.dispatch(.cascade(1)) }
            try await store.close()
        }()
        var steps: [Int] = []
        var last = Score(sum: start - 1)
        for try await transition in store.transitions(from: start) {
            #expect(transition.before == last)
            #expect(transition.cascade == (transition.step > 100 ? [.cascade(0)] : []))
            steps.append(transition.step)
            last = transition.after
            if transition.step == 200 { break }
        }
        try await writing
        #expect(steps == Array(start...200))
        #expect(last == store.state)
        try await journal.close()
    }

    @Test func `transitions of pruned steps are an error, and transitions end with the store`() async throws {
        var options = Journal.Options()
        options.snapshots = .never
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.openPlay()
        for _ in 0..<10 { try await store.dispatch(.add(1)) }
        try await store.flush()
        try await store.engine.stream.saveSnapshot(#"{"drawn":[],"log":[],"sum":7}"#, at: 7)
        try await store.close()
        try await journal.prune("a", before: 8)
        let again = try await journal.openPlay()
        #expect(again.state.sum == 10)
        let error = await journalError {
            for try await _ in again.transitions(from: 5) {}
        }
        #expect(error?.code == .noUsableSnapshot)
        #expect(error?.stream == "a")
        try await again.dispatch(.add(1))
        var iterator = again.transitions(from: 11).makeAsyncIterator()
        #expect(try await iterator.next()?.step == 11)
        try await again.close()
        #expect(try await iterator.next()?.step == nil)
    }

    @Test func `transitions from a step after the newest wait for that step`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        try await store.dispatch(.add(1))
        let listening = Task {
            var iterator = store.transitions(from: 5).makeAsyncIterator()
            return try await [iterator.next()?.step, iterator.next()?.step]
        }
        for _ in 2...6 { try await store.dispatch(.add(1)) }
        #expect(try await listening.value == [5, 6])
        var never = store.transitions(from: 100).makeAsyncIterator()
        try await store.close()
        #expect(try await never.next() == nil)
        try await journal.close()
    }

    @Test func `a listener whose task is cancelled ends`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let began = Signal()
        let listening = Task {
            var count = 0
            for try await _ in store.transitions(from: 1) {
                count += 1
                began.send()
            }
            return count
        }
        try await store.dispatch(.add(1))
        await began.wait()
        listening.cancel()
        #expect(try await listening.value == 1)
    }

    /// A task is locked while it is cancelled, and a delivery to it waits for that.
    @Test func `a listener can be cancelled while a state is delivered to it`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let isOver = Box(false)
        let dispatching = Task { while !isOver.value { try await store.dispatch(.add(1)) } }
        for _ in 0..<1_000 {
            let heard = Watched(0)
            let listening = Task { for await _ in store.states { heard.change { $0 += 1 } } }
            // The current state, and a delivered one.
            _ = await heard.wait { $0 > 1 ? true : nil }
            listening.cancel()
            await listening.value
        }
        isOver.change { $0 = true }
        try await dispatching.value
        try await journal.close()
    }

    @Test func `dispatch until in a task that is already cancelled appends nothing`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay { _ in .none }
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await store.dispatch(.add(1)) { _ in true }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try journal.reader.lastPosition() == 0)
        #expect(store.state.sum == 0)
    }

    /// Cancels the task that dispatches it, when that has looked whether it is cancelled.
    private struct Late: Codable, Sendable {
        init() {}

        init(from decoder: any Decoder) throws {}

        func encode(to encoder: any Encoder) throws {
            withUnsafeCurrentTask { $0?.cancel() }
            var container = encoder.singleValueContainer()
            try container.encode(1)
        }
    }

    @Test func `dispatch until in a task that is cancelled just before it waits does not wait`() async throws {
        let journal = try Journal.inMemory()
        let machine = Machine<Late, Int, Void>("late", initialState: 0, update: { count, _ in count += 1 })
        let store = try await journal.open(machine, stream: "a")
        let task = Task { try await store.dispatch(Late()) { _ in false } }
        await #expect(throws: CancellationError.self) { try await task.value }
        // The action is reduced all the same.
        try await journal.close()
        #expect(store.state == 1)
    }

    @Test func `dispatch until is answered at the commit if its caller has left before that`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let engine = store.engine
        let answers = Box<[any Error]>([])
        let entry = try engine.entry(.add(1))
        let request = DispatchRequest<Play, Score>(
            .add(1), Batch(entries: [entry]), to: engine, waitsForState: true)
        request.reply = .until({ _ in false }) { result in
            if case .failure(let error) = result { answers.change { $0.append(error) } }
        }
        engine.post(.forget(request))
        engine.admit(request)
        // It is reduced after that one.
        try await store.dispatch(.add(2))
        #expect(answers.value.count == 1)
        #expect(answers.value.first is CancellationError)
        #expect(store.state.sum == 3)
        try await journal.close()
    }

    @Test func `dispatch until returns the first state that meets the condition, and misses none`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay { name in
            .stream(name) { send, _ in for _ in 0..<50 { try await send(.add(1)) } }
        }
        // The sum is 25 only for a moment.
        let state = try await store.dispatch(.start("x")) { $0.sum == 25 }
        #expect(state.sum == 25)
        #expect(try await store.dispatch(.add(1000)) { $0.sum >= 1000 }.sum >= 1000, "the dispatch itself included")
        let waiting = Task { try await store.dispatch(.add(0)) { $0.sum < 0 } }
        _ = try await store.dispatch(.add(1)) { $0.sum >= 1051 }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let ended = Task { try await store.dispatch(.ended("waits")) { $0.sum < 0 } }
        for await state in store.states where state.log == ["waits"] { break }
        try await store.close()
        #expect(await journalError { try await ended.value }?.code == .closed)
    }

    @Test func `an observer is called for each new step once, in order`() async throws {
        let journal = try Journal.inMemory()
        let heard = Box<[String]>([])
        let observer = Observer<Play, Score> { step in
            heard.change { $0.append("\(step.step) \(step.before.sum) \(step.after.sum) \(step.rejection ?? "-")") }
        }
        func open() async throws -> Store<Play, Score> {
            try await journal.open(play, stream: "a", environment: Stage(), observers: [observer])
        }
        var store = try await open()
        try await store.dispatch(contentsOf: [.add(1), .refuse, .add(2)])
        try await store.close()
        store = try await open()
        try await store.dispatch(.add(3))
        #expect(heard.value == ["1 0 1 -", "2 1 1 no", "3 1 3 -", "4 3 6 -"])
    }

    /// Asks for the states of its store at its end.
    private final class Asking: Codable, Sendable {
        static let ask = Box<@Sendable () -> Void>({})
        static let ended = Box(0)

        deinit {
            Self.ended.change { $0 += 1 }
            Self.ask.value()
        }
    }

    private struct Holding: Codable, Sendable {
        var asking = Asking()
    }

    @Test func `an object in a state that nobody has read may ask for the states at its end`() async throws {
        var options = Journal.Options()
        options.reducesTwice = false
        let journal = try Journal.inMemory(options: options)
        let machine = Machine<Int, Holding, Void>("holding", initialState: Holding()) { _, state, _ in
            state = Holding()
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        let unread = store.states
        Asking.ask.change { $0 = { _ = store.states } }
        defer { Asking.ask.change { $0 = {} } }
        // More than a listener keeps.
        for number in 1...600 { try await store.dispatch(number) }
        #expect(Asking.ended.value > 300)
        withExtendedLifetime(unread) {}
        try await journal.close()
    }
}
