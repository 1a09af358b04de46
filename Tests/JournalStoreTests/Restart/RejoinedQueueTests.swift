import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// A restart continues queues as they were, also after an act of an operator.
@Suite struct `A queue after an operator's act`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func restarted(_ journal: Journal) async throws -> Journal {
        try await journal.close()
        return try openJournal(path, clock)
    }

    @Test(arguments: [false, true])
    func `a retried effect waits behind those that waited before it`(restarts: Bool) async throws {
        let starts = Box<[String]>([])
        let isOpen = Watched(false)
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: clock) { name in
                .run(name, queue: Lane()) {
                    starts.change { $0.append(name) }
                    _ = await isOpen.wait { $0 ? true : nil }
                    try Task.checkCancellation()
                    return .ended(name)
                }
            }
        }
        var journal = try openJournal(path, clock)
        var store = try await open(journal)
        try await store.dispatch(.start("old"))
        try await store.cancel(RunKey(step: 1))
        for name in ["x", "y", "z"] { try await store.dispatch(.start(name)) }
        try await store.retry(RunKey(step: 1))
        clock.move(by: .seconds(1))
        try await store.dispatch(.start("last"))
        if restarts {
            journal = try await restarted(journal)
            store = try await open(journal)
        }
        isOpen.change { $0 = true }
        try await store.says("x", "y", "z", "old", "last")
        #expect(starts.value.suffix(5) == ["x", "y", "z", "old", "last"])
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `a new effect evicts the one that joined its queue first, and not a retried one`(restarts: Bool) async throws {
        let lane = Lane(kind: .newest, maxCount: 2)
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: clock) { name in
                .run(name, queue: lane) {
                    try await forever()
                    return nil
                }
            }
        }
        var journal = try openJournal(path, clock)
        var store = try await open(journal)
        try await store.dispatch(.start("old"))
        try await store.cancel(RunKey(step: 1))
        try await store.dispatch(.start("x"))
        try await store.retry(RunKey(step: 1))
        if restarts {
            journal = try await restarted(journal)
            store = try await open(journal)
        }
        try await store.dispatch(.start("new"))
        #expect(try await store.liveRuns().map(\.name).sorted() == ["new", "old"])
        try await journal.close()
    }

    /// Their number grows with the history of the stream.
    @Test func `an opening reads no act on an effect of a step before those that wait in queues`() async throws {
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: clock) { name in
                .run(name, queue: Lane()) {
                    try await forever()
                    return nil
                }
            }
        }
        var journal = try openJournal(path, clock)
        var store = try await open(journal)
        for name in ["old", "x", "y"] { try await store.dispatch(.start(name)) }
        try await store.cancel(RunKey(step: 1))
        try await store.close()
        // Reading it would fail.
        try Shell(path)("UPDATE intervention SET time = time + 1")
        journal = try await restarted(journal)
        store = try await open(journal)
        #expect(try await store.liveRuns().map(\.name) == ["x", "y"])
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `a queue that loses its delay starts an effect at once that was to be tried again earlier`(
        restarts: Bool
    ) async throws {
        let hasFailed = Box(false)
        func open(_ journal: Journal) async throws -> Store<Play, Score> {
            try await journal.openPlay(clock: clock) { name in
                if name == "no delay" { return .updateQueue(Lane(maxCount: 3)) }
                return .run(
                    name, queue: Lane(maxCount: 3, delay: 100),
                    retry: .constant(maxAttempts: 3, delay: .seconds(20))
                ) {
                    if !hasFailed.change({ $0.takesTurn() }) { throw Failed() }
                    return .ended(name)
                }
            }
        }
        var journal = try openJournal(path, clock)
        var store = try await open(journal)
        try await store.dispatch(.start("x"))
        // The next attempt is planned.
        await clock.sleepers(1)
        clock.move(by: .seconds(90))
        try await store.flush()
        if restarts {
            journal = try await restarted(journal)
            store = try await open(journal)
        }
        #expect(try await store.liveRuns().map(\.status) == [.delayed])
        try await store.dispatch(.start("no delay"))
        #expect(try await store.liveRuns().filter { $0.status == .delayed }.isEmpty)
        try await store.says("x")
        try await journal.close()
    }
}

@Suite struct `The order in which effects have joined their queue` {
    @Test(arguments: [
        (Intervention.Act.retry, EffectRun.Status.failed, true), (.retry, .cancelled, true), (.release, .parked, true),
        (.retry, .running, false), (.retry, .delayed, false), (.release, .waiting, false), (.cancel, .failed, false),
    ])
    func `changes by an act on an effect that had ended or was set aside`(
        act: Intervention.Act, before: EffectRun.Status, joins: Bool
    ) {
        let intervention = Intervention(
            act: act, step: 1, ordinal: 0, time: Timestamp(microseconds: 0), before: before)
        #expect(intervention.joinsQueueAgain == joins)
    }

    struct Case {
        var first: [Int64]
        var again: [Int64]
        var order: String
    }

    @Test(arguments: [
        Case(first: [1, 2, 3], again: [], order: "abc"), Case(first: [], again: [1, 2], order: "AB"),
        Case(first: [1, 2, 3], again: [2], order: "abAc"), Case(first: [1, 2, 3], again: [0], order: "Aabc"),
        Case(first: [1, 2, 3], again: [9, 9], order: "abcAB"), Case(first: [1, 3, 5], again: [2, 4], order: "aAbBc"),
        // The clock was set back before the last one joined, and between two that joined again.
        Case(first: [5, 6, 1], again: [2], order: "abcA"), Case(first: [1, 5], again: [4, 2], order: "aABb"),
    ])
    func `is that of their times, as far as the clock was not set back`(_ test: Case) {
        let letters = (Array("abcdef"), Array("ABCDEF"))
        let order = JoiningOrder.merged(
            Array(letters.0.prefix(test.first.count)), Array(letters.1.prefix(test.again.count)),
            times: test.first.map { Timestamp(microseconds: $0) }, test.again.map { Timestamp(microseconds: $0) })
        #expect(String(order) == test.order)
    }
}

private struct Failed: Error {}

extension Bool {
    /// - Returns: whether this is not the first call.
    fileprivate mutating func takesTurn() -> Bool {
        defer { self = true }
        return self
    }
}
