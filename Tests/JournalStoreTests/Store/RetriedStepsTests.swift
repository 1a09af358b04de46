import Testing
import TortureKit

@testable import JournalStore

/// Each step adds a number, and has two effects, which tell the sum after the step. They fail while `fails` is true.
@Suite struct `Retrying many effects of a stream`: AtDesk {
    let desk: Desk
    private let fails = Box(true)
    private let reduced = Box<[Int]>([])
    private let told = Box<[Int]>([])

    init() throws { desk = try Desk() }

    private var machine: Machine<Int, Int, Void> {
        Machine<Int, Int, Void>("sums", initialState: 0) { [fails, reduced, told] number, sum, _, step in
            reduced.change { $0.append(step.number) }
            sum += number
            let effects = (0..<2).map { [sum] index in
                Effect<Int>.fireAndForget("tell \(index)") {
                    if fails.value { throw EffectFailure(description: "no") }
                    told.change { $0.append(sum * 10 + index) }
                }
            }
            return .combine(effects)
        }
    }

    /// A journal with ten steps, whose effects have failed.
    ///
    /// - Parameter keepsFold: whether the fold of a retry is kept until the next one, however slow the machine is.
    private func open(keepsFold: Bool = true) async throws -> (Journal, Store<Int, Int>) {
        let journal = try journal(keepsFold: keepsFold)
        let store = try await journal.open(machine, stream: "a", environment: ())
        for number in 1...10 { await (try store.dispatch(number)).completion() }
        try await store.flush()
        #expect(try sql("SELECT status, count(*) FROM effect_run GROUP BY status") == ["failed|20"])
        fails.change { $0 = false }
        reduced.change { $0 = [] }
        return (journal, store)
    }

    private func journal(keepsFold: Bool = true) throws -> Journal {
        try openJournal(path) { options in
            options.reducesTwice = false
            options.snapshots = SnapshotPolicy(everySteps: 1_000_000)
            options.sleep = { duration in
                if duration < .seconds(1) { return try await Task.sleep(for: duration) }
                if keepsFold { try await forever() }
            }
        }
    }

    /// What the effects of some steps tell.
    private func sums(_ steps: some Sequence<Int>) -> Set<Int> {
        Set(steps.flatMap { step in (0..<2).map { step * (step + 1) / 2 * 10 + $0 } })
    }

    @Test func `in the order of their steps they need one fold, which reduces each step once`() async throws {
        let (journal, store) = try await open()
        for step in 1...10 {
            for ordinal in 0..<2 { try await journal.retry(RunKey(step: step, ordinal: ordinal), in: "a") }
        }
        #expect(reduced.value == Array(1...10))
        await store.join()
        #expect(told.value.count == 20)
        #expect(Set(told.value) == sums(1...10))
        try await store.flush()
        #expect(try sql("SELECT status, count(*) FROM effect_run GROUP BY status") == ["completed|20"])
        #expect(try await journal.verify().isSound)
        try await journal.close()
    }

    @Test func `the fold goes on from a snapshot that is nearer, and begins again for an earlier step`() async throws {
        let (journal, store) = try await open()
        try await store.engine.stream.saveSnapshot("28", at: 7)
        for step in [2, 9, 4] { try await store.retry(RunKey(step: step)) }
        #expect(reduced.value == [1, 2, 8, 9, 1, 2, 3, 4])
        await store.join()
        #expect(Set(told.value) == sums([2, 4, 9]).filter { $0.isMultiple(of: 10) })
        try await journal.close()
    }

    @Test func `after a pruning between two retries, the second one begins at the base`() async throws {
        let (journal, store) = try await open()
        try await store.retry(RunKey(step: 2))
        await store.join()
        try await store.flush()
        try await store.engine.stream.saveSnapshot("28", at: 7)
        try await journal.prune("a", before: 8)
        #expect(await journalError { try await store.retry(RunKey(step: 2, ordinal: 1)) }?.code == .noSuchStep)
        try await store.retry(RunKey(step: 9, ordinal: 1))
        await store.join()
        #expect(Set(told.value) == [30, 451])
        try await journal.close()
    }

    @Test func `a step that is rejected is undone also after a pruning between two retries`() async throws {
        let machine = Machine<Int, [Int], Void>("lists", initialState: []) { [fails, told] number, numbers, _, _ in
            numbers.append(number)
            if number == 6 { return .reject("no") }
            let sum = numbers.reduce(0, +)
            return Effect<Int>.fireAndForget("tell") {
                if fails.value { throw EffectFailure(description: "no") }
                told.change { $0.append(sum) }
            }
        }
        let journal = try journal()
        let store = try await journal.open(machine, stream: "a", environment: ())
        for number in 1...10 { await (try store.dispatch(number)).completion() }
        try await store.flush()
        fails.change { $0 = false }
        try await store.retry(RunKey(step: 5))
        await store.join()
        try await store.flush()
        try await store.engine.stream.saveSnapshot("[1,2,3]", at: 3)
        try await journal.prune("a", before: 4)
        try await store.retry(RunKey(step: 7))
        await store.join()
        #expect(Set(told.value) == [15, 22])
        try await journal.close()
    }

    @Test func `the fold is dropped when no other effect is retried`() async throws {
        let (journal, store) = try await open(keepsFold: false)
        try await store.retry(RunKey(step: 3))
        while !store.engine.retried.isEmpty { await Task.yield() }
        try await store.retry(RunKey(step: 4))
        await store.join()
        #expect(Set(told.value) == [60, 100])
        try await journal.close()
    }
}
