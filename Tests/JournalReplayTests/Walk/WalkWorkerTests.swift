import Dispatch
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `A machine that is asked` {
    /// Records the requested steps, and blocks the first request until `letGo()`.
    private final class SlowStates: WalkStates {
        let asked = Lock<[Int]>([])
        let started = AsyncStream.makeStream(of: Void.self)
        private let gate = DispatchSemaphore(value: 0)

        func state(at step: Int) throws -> String {
            asked.withLock { $0.append(step) }
            started.continuation.yield()
            gate.wait()
            // Later requests pass.
            gate.signal()
            return "\(step)"
        }

        func changes(at step: Int) throws -> [ValueDiff.Change] { [] }

        func letGo() { gate.signal() }
    }

    @Test func `answers only the newest question that arrived while it was busy`() async {
        let states = SlowStates()
        let awake = AsyncStream.makeStream(of: Void.self)
        let worker = WalkWorker(states: states) { awake.continuation.yield() }
        worker.ask(1, .state)
        var started = states.started.stream.makeAsyncIterator()
        await started.next()
        for step in 2...9 { worker.ask(step, .state) }
        #expect(worker.answer() == nil)
        states.letGo()
        var wakes = awake.stream.makeAsyncIterator()
        var answer: WalkAnswer?
        while answer?.step != 9 {
            await wakes.next()
            answer = worker.answer() ?? answer
        }
        #expect(answer == WalkAnswer(step: 9, pane: .state, content: .state("9")))
        #expect(worker.answer() == nil)
        #expect(states.asked.withLock(\.self) == [1, 9])
    }

    @Test func `searches a page between two questions`() async throws {
        let awake = AsyncStream.makeStream(of: Void.self)
        let search = WalkSearch(text: "x", isBackwards: false, origin: 1)
        let worker = WalkWorker(states: CountingStates(), search: { .found(step: $0.next) }) {
            awake.continuation.yield()
        }
        var wakes = awake.stream.makeAsyncIterator()
        worker.search(search)
        var found: WalkWorker.Found?
        while found == nil {
            await wakes.next()
            found = worker.found()
        }
        #expect(found?.search == search)
        #expect(try found?.result.get() == .found(step: 2))
        #expect(worker.found() == nil)
        worker.ask(3, .state)
        await wakes.next()
        #expect(worker.answer()?.step == 3)
    }

    @Test func `can be asked again after a failure`() async {
        let awake = AsyncStream.makeStream(of: Void.self)
        let worker = WalkWorker(states: CountingStates(broken: 2)) { awake.continuation.yield() }
        var wakes = awake.stream.makeAsyncIterator()
        worker.ask(2, .changes)
        await wakes.next()
        #expect(worker.answer()?.content == .failure("Step 2 has no state."))
        worker.ask(3, .changes)
        await wakes.next()
        #expect(worker.answer()?.step == 3)
    }

    @Test func `shows the library's advice with the name of the tool`() async {
        let awake = AsyncStream.makeStream(of: Void.self)
        let states = FailingStates(
            error: JournalError(.corrupt, "The base is damaged.", advice: "Run `journal-replay verify`."))
        let worker = WalkWorker(states: states, tool: ToolName(text: "hotel journal")) { awake.continuation.yield() }
        var wakes = awake.stream.makeAsyncIterator()
        worker.ask(2, .state)
        await wakes.next()
        #expect(worker.answer()?.content == .failure("The base is damaged. Run `hotel journal verify`. [corrupt]"))
    }
}

private struct FailingStates: WalkStates {
    let error: JournalError

    func state(at step: Int) throws -> String { throw error }

    func changes(at step: Int) throws -> [ValueDiff.Change] { throw error }
}
