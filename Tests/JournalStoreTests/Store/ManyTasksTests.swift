import Foundation
import Synchronization
import Testing
import TortureKit

@testable import JournalStore

/// Says which caller's thread reduces.
private enum Caller {
    @TaskLocal static var name = "none"
}

@Suite struct `Many tasks, one store` {
    struct Sums: Codable, Sendable, Equatable {
        var count = 0
        /// The last number of each task: its actions arrive in its own order.
        var tasks: [Int]
        var misplaced = 0
    }

    struct Add: Codable, Sendable, Equatable {
        var task: Int
        var number: Int
    }

    static let machine = Machine<Add, Sums, Void>("sums", initialState: Sums(tasks: Array(repeating: 0, count: 64))) {
        state, action in
        state.count += 1
        if state.tasks[action.task] + 1 != action.number { state.misplaced += 1 }
        state.tasks[action.task] = action.number
    }

    /// 64 × 10,000 with `STORE_DISPATCHES=10000`; fewer in an ordinary run, as a debug build is slow.
    static let dispatches = ProcessInfo.processInfo.environment["STORE_DISPATCHES"].flatMap { Int($0) } ?? 100

    @Test func `64 tasks dispatch without a gap, and the state equals the fold`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) { $0.durability = .normal }
        let store = try await journal.open(Self.machine, stream: "a")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for number in 1...Self.dispatches { try await store.dispatch(Add(task: task, number: number)) }
                }
            }
            try await group.waitForAll()
        }
        let state = store.state
        #expect(state.count == 64 * Self.dispatches)
        #expect(state.misplaced == 0)
        #expect(state.tasks == Array(repeating: Self.dispatches, count: 64))
        try await store.close()
        let shell = try Shell(folder.path("a.db"), readOnly: true)
        #expect(
            try shell("SELECT count(*), min(step), max(step) FROM entry")
                == ["\(64 * Self.dispatches)|1|\(64 * Self.dispatches)"])
        // The fold, from the first entry.
        let fold = Program(Self.machine, environment: (), checksCoding: false)
        var state0 = fold.initialState
        var step = 0
        while true {
            let page = try journal.reader.entries(in: "a", from: step + 1, limit: 1_000)
            guard let last = page.last else { break }
            for entry in page {
                let action = try fold.action(entry.action, version: 1, ErrorLocation(stream: "a"))
                var step = Step(seed: 0)
                _ = fold.reduce(action, &state0, &step)
            }
            step = last.step
        }
        #expect(state0 == state)
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `64 tasks dispatch actions with effects that send, and every effect completes`() async throws {
        let folder = try TemporaryFolder()
        let journal = try openJournal(folder.path("a.db")) { $0.durability = .normal }
        struct Two: Oldest1SuspendNewEffectQueue {}
        let store = try await journal.openPlay { name in
            .run(name) { .ended(name) } + .run("queued", queue: Two()) { .add(1) }
                + .stream("sends") { send, _ in
                    try await send(.add(100))
                    try await send(.add(100))
                }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<64 {
                group.addTask {
                    for number in 0..<3 {
                        let dispatched = try await store.dispatch(.start("\(task) \(number)"), trackingFeedback: true)
                        if number == 2 { await dispatched.completion() }
                    }
                }
            }
            try await group.waitForAll()
        }
        let state = try await store.dispatch(.add(0)) { $0.log.count == 192 && $0.sum == 192 * 201 }
        #expect(Set(state.log).count == 192)
        try await store.flush()
        #expect(
            try Shell(folder.path("a.db"), readOnly: true)("SELECT status, count(*) FROM effect_run GROUP BY status")
                == ["completed|576"])
        try await journal.close()
    }

    @Test func `an answer that is given before its caller waits is read after it was written`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.openPlay()
        let answer = try await store.dispatch(.add(1))
        for _ in 0..<20 {
            let request = DispatchRequest<Play, Score>(.add(2), Batch(), to: store.engine)
            let isGiven = Given()
            await withUnsafeContinuation { continuation in
                request.reply = .task(continuation)
                Thread {
                    request.succeed(answer, [answer])
                    isGiven.value.store(true, ordering: .relaxed)
                }.start()
                // Relaxed: the thread sanitizer must see no other order than that of the request.
                while !isGiven.value.load(ordering: .relaxed) { sched_yield() }
            }
            let answers = try request.answers(orThrow: JournalError(.closed, "There is no answer."))
            #expect(answers.first.step == answer.step)
            #expect(answers.others?.map(\.step) == [answer.step])
        }
        try await journal.close()
    }

    private final class Given: Sendable {
        let value = Atomic<Bool>(false)
    }

    /// The thread of such a task gets little time while others have work, and would reduce for callers who wait.
    @Test func `a task of low priority neither commits nor reduces itself`() async throws {
        let reducedBy = Box<[String]>([])
        var options = Journal.Options()
        options.reducesTwice = false
        let journal = try Journal.inMemory(options: options)
        let machine = Machine<Int, Int, Void>("sum", initialState: 0) { action, sum, _ in
            reducedBy.change { $0.append(Caller.name) }
            sum += action
            return .none
        }
        let store = try await journal.open(machine, stream: "a")
        for priority in [TaskPriority.background, .utility] {
            // Waiting for the task itself would raise its priority.
            let isDone = Signal()
            Task.detached(priority: priority) {
                try await Caller.$name.withValue("caller") { try await store.dispatch(1) }
                isDone.send()
            }
            await isDone.wait()
        }
        #expect(reducedBy.value == ["none", "none"])
        #expect(store.state == 2)
        try await journal.close()
    }
}
