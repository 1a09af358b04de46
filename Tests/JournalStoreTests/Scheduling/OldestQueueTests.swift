import Testing

@testable import JournalStore

@Suite struct `Scheduling, a queue that runs the oldest` {
    private let bench = Bench()

    // MARK: Suspending

    @Test(arguments: 1...4) func `new runs wait, and start first in, first out`(_ count: Int) {
        for number in 1...8 { bench.add(number, queue: .suspending(count)) }
        bench.look()
        #expect(bench.started == Array(1...count))
        for number in 1...8 {
            bench.complete(number)
            bench.look()
            #expect(bench.started == Array(1...min(8, number + count)))
        }
        #expect(bench.isForgotten)
    }

    @Test func `a run that waits is recorded as waiting, then as running`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        #expect(bench.statuses(2) == [.waiting])
        bench.complete(1)
        bench.look()
        #expect(bench.statuses(2) == [.waiting, .running])
        bench.complete(2)
        bench.look()
        #expect(bench.statuses(2) == [.waiting, .running, .completed])
    }

    private static let ends: [Named<@Sendable (Bench) -> Void>] = [
        Named("it ended", { $0.complete(1) }),
        Named("it ended with a final action", { $0.complete(1, isRecorded: true) }),
        Named("it failed", { $0.fail(1) }),
        Named(
            "its final action was refused",
            { $0.scheduler.couldNotSend(Bench.key(1), error: "full", at: $0.now) }),
        Named("it was cancelled", { $0.cancel(1) }),
        Named("it was set aside", { $0.scheduler.setAside(Bench.key(1), as: .asked) }),
        Named("it was set aside as it is", { $0.scheduler.setAside(Bench.key(1), as: nil) }),
    ]

    @Test(arguments: ends)
    func `a slot is free when its run ends or is set aside, in any way`(_ test: Named<@Sendable (Bench) -> Void>) {
        for number in 1...3 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        test.value(bench)
        #expect(bench.look() == [2])
    }

    @Test func `an action that a run sends frees no slot`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.scheduler.sent(Bench.key(1))
        #expect(bench.look() == [])
        #expect(bench.scheduler.runs[Bench.key(1)]?.record.delivered == 1)
    }

    @Test func `a run that is cancelled while it waits leaves the queue and never starts`() {
        for number in 1...4 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.cancel(2)
        bench.cancel(4)
        bench.look()
        #expect(bench.end(2) == .cancelled)
        #expect(bench.stopped == [])
        bench.complete(1)
        #expect(bench.look() == [3])
        bench.complete(3)
        #expect(bench.look() == [])
        #expect(bench.isForgotten)
    }

    @Test func `a long queue keeps its order, also with gaps`() {
        for number in 1...500 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        for number in stride(from: 3, through: 500, by: 3) { bench.cancel(number) }
        bench.look()
        for number in 1...500 {
            bench.complete(number)
            bench.look()
        }
        #expect(bench.started == (1...500).filter { $0 % 3 != 0 })
        #expect(bench.isForgotten)
    }

    @Test func `two queues are independent`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1, name: "a")) }
        for number in 3...4 { bench.add(number, queue: .suspending(1, name: "b")) }
        #expect(bench.look() == [1, 3])
        bench.complete(3)
        #expect(bench.look() == [4])
    }

    @Test func `a queue is examined once in a turn, in the order in which the queues were first touched`() {
        for number in 1...10 { bench.add(number, queue: .suspending(9, name: number % 2 == 0 ? "a" : "b")) }
        let examined = bench.scheduler.takeTouched()
        #expect(examined.count == 2)
        #expect(examined.first == bench.scheduler.runs[Bench.key(1)]?.target)
        #expect(examined.last == bench.scheduler.runs[Bench.key(2)]?.target)
    }

    // MARK: Discarding

    @Test(arguments: 1...3) func `a run above the maximum is discarded`(_ count: Int) {
        for number in 1...5 { bench.add(number, queue: .discarding(count)) }
        bench.look()
        #expect(bench.started == Array(1...count))
        for number in (count + 1)...5 {
            #expect(bench.end(number) == .discarded)
            #expect(bench.statuses(number) == [.discarded])
        }
        bench.complete(1)
        #expect(bench.look() == [])
        bench.add(6, queue: .discarding(count))
        #expect(bench.look() == [6])
    }

    @Test func `a delayed run has its slot, and a new run is discarded because of it`() {
        bench.add(1, queue: .discarding(1), delay: .seconds(5))
        bench.look()
        bench.add(2, queue: .discarding(1))
        bench.look()
        #expect(bench.end(2) == .discarded)
        #expect(bench.turn(to: .seconds(5)) == [1])
    }

    @Test func `a new run waits after those that waited under an older policy, if there is room for all`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.add(3, queue: .discarding(3))
        bench.add(4, queue: .discarding(3))
        #expect(bench.look() == [2, 3])
        #expect(bench.end(4) == .discarded)
    }

    @Test func `a queue that counts steps runs the effects of one step together, and those of the next one after them`()
    {
        for ordinal in 0...1 { bench.add(1, ordinal: ordinal, stepQueue: .concat) }
        for ordinal in 0...1 { bench.add(2, ordinal: ordinal, stepQueue: .concat) }
        bench.add(3, ordinal: 0, stepQueue: .concat)
        bench.look()
        #expect(bench.startedKeys == ["1.0", "1.1"])
        bench.complete(1)
        bench.look()
        #expect(bench.startedKeys == ["1.0", "1.1"])
        bench.scheduler.bodyCompleted(RunKey(step: 1, ordinal: 1), at: bench.now)
        bench.look()
        #expect(bench.startedKeys == ["1.0", "1.1", "2.0", "2.1"])
    }
}
