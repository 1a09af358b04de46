import Testing

@testable import JournalStore

@Suite struct `Scheduling, a queue that runs the newest` {
    private let bench = Bench()

    @Test(arguments: 1...4) func `a run above the maximum evicts the oldest`(_ count: Int) {
        for number in 1...6 { bench.add(number, queue: .newest(count)) }
        bench.look()
        #expect(bench.started == Array((7 - count)...6))
        for number in 1...(6 - count) { #expect(bench.end(number) == .evicted) }
    }

    @Test func `an evicted run is stopped before the new one starts`() {
        bench.add(1, queue: .newest(1))
        bench.look()
        bench.add(2, queue: .newest(1))
        bench.look()
        #expect(bench.stopped == [1])
        #expect(bench.end(1) == .evicted)
        #expect(bench.started == [1, 2])
        #expect(bench.statuses(1) == [.running, .evicted])
        let stop = bench.commands.firstIndex { if case .stop = $0 { true } else { false } }
        let start = bench.commands.lastIndex { if case .start = $0 { true } else { false } }
        #expect(stop ?? .max < start ?? .min)
    }

    @Test func `the oldest run is evicted first, and no more than necessary`() {
        for number in 1...3 { bench.add(number, queue: .newest(3)) }
        bench.look()
        bench.add(4, queue: .newest(3))
        bench.look()
        #expect(bench.stopped == [1])
        bench.add(5, queue: .newest(3))
        bench.look()
        #expect(bench.stopped == [1, 2])
        #expect(bench.started == [1, 2, 3, 4, 5])
    }

    @Test func `a delayed run is evicted without ever starting`() {
        bench.add(1, queue: .newest(1), delay: .seconds(5))
        bench.look()
        bench.add(2, queue: .newest(1))
        #expect(bench.look() == [2])
        #expect(bench.end(1) == .evicted)
        #expect(bench.stopped == [])
        #expect(bench.turn(to: .seconds(9)) == [])
    }

    @Test func `a run that waits for the queue's delay is evicted as well`() {
        let queue = JobQueue.newest(2, delay: .constant(10))
        for number in 1...2 { bench.add(number, queue: queue) }
        #expect(bench.look() == [1])
        bench.complete(1)
        for number in 3...4 { bench.add(number, queue: queue) }
        bench.look()
        #expect(bench.end(2) == .evicted)
        #expect(bench.turn(to: .seconds(10)) == [3])
        #expect(bench.turn(to: .seconds(20)) == [4])
    }

    @Test func `a queue that counts steps evicts all runs of the step before, and none of the same step`() {
        for ordinal in 0...1 { bench.add(1, ordinal: ordinal, stepQueue: .latest) }
        bench.look()
        #expect(bench.startedKeys == ["1.0", "1.1"])
        for ordinal in 0...2 { bench.add(2, ordinal: ordinal, stepQueue: .latest) }
        bench.look()
        #expect(bench.stoppedKeys == ["1.0", "1.1"])
        #expect(bench.startedKeys == ["1.0", "1.1", "2.0", "2.1", "2.2"])
    }

    @Test func `runs that waited under an older policy are evicted after running ones`() {
        for number in 1...3 { bench.add(number, queue: .suspending(1)) }
        #expect(bench.look() == [1])
        bench.add(4, queue: .newest(2))
        bench.look()
        #expect(bench.end(1) == .evicted)
        #expect(bench.end(2) == .evicted)
        #expect(bench.end(3) == nil)
        #expect(bench.started == [1, 3, 4])
    }

    @Test func `a run that has ended makes room, and nothing is evicted for the next`() {
        bench.add(1, queue: .newest(1))
        bench.look()
        bench.complete(1)
        bench.add(2, queue: .newest(1))
        #expect(bench.look() == [2])
        #expect(bench.end(1) == .completed)
        #expect(bench.stopped == [])
    }

    @Test func `the result of an evicted body is ignored`() {
        bench.add(1, queue: .newest(1), retry: .constant(maxAttempts: 3))
        bench.look()
        bench.add(2, queue: .newest(1))
        bench.complete(1)
        bench.fail(1)
        bench.turn(to: .seconds(9))
        #expect(bench.end(1) == .evicted)
        #expect(bench.attempts(1) == [1])
    }
}
