import Testing

@testable import JournalStore

@Suite struct `Scheduling, retries` {
    private let bench = Bench()

    @Test func `a run without a retry policy fails at its first failure`() {
        bench.add(1)
        bench.look()
        bench.fail(1, "broken")
        bench.look()
        #expect(bench.end(1) == .failed)
        #expect(bench.error(1) == "broken")
        #expect(bench.statuses(1) == [.running, .failed])
        #expect(bench.records(1).last?.error == "broken")
    }

    @Test func `a run is retried as often and after as long as its policy says, and attempts are counted`() {
        let retry = RetryPolicy.exponential(maxAttempts: 4, firstDelay: .seconds(1), maxDelay: .seconds(3), jitter: 0)
        bench.add(1, retry: retry)
        bench.look()
        var waits: [Duration] = []
        while bench.end(1) == nil, waits.count < 9 {
            bench.fail(1)
            bench.look()
            guard let wake = bench.scheduler.nextWake else { break }
            waits.append(wake - bench.now.tick)
            #expect(bench.turn(to: wake - .microseconds(1)) == [])
            #expect(bench.turn(to: wake) == [1])
        }
        #expect(waits == [.seconds(1), .seconds(2), .seconds(3)])
        #expect(bench.attempts(1) == [1, 2, 3, 4])
        #expect(
            bench.statuses(1) == [.running, .delayed, .running, .delayed, .running, .delayed, .running, .failed])
        #expect(bench.records(1).map(\.attempts) == [1, 1, 2, 2, 3, 3, 4, 4])
        #expect(bench.isForgotten)
    }

    @Test func `a thrown error is recorded at once, with the time of the next attempt`() {
        bench.add(1, retry: .constant(maxAttempts: 2, delay: .seconds(5)))
        bench.look()
        bench.turn(to: .seconds(1))
        bench.fail(1, "broken")
        bench.look()
        let record = bench.records(1).last
        #expect(record?.status == .delayed)
        #expect(record?.error == "broken")
        #expect(record?.notBefore == bench.now.date(at: .seconds(6)))
        #expect(record?.ended == nil)
    }

    @Test func `the time of the first start does not change with retries`() {
        bench.add(1, retry: .constant(maxAttempts: 2, delay: .seconds(5)))
        bench.look()
        let first = bench.now.date
        bench.fail(1)
        bench.turn(to: .seconds(5))
        bench.complete(1)
        bench.look()
        #expect(Set(bench.records(1).compactMap(\.started)) == [first])
        #expect(bench.end(1) == .completed)
    }

    @Test func `a run that waits for a retry keeps its slot`() {
        bench.add(1, queue: .suspending(1), retry: .constant(maxAttempts: 2, delay: .seconds(5)))
        bench.add(2, queue: .suspending(1))
        bench.look()
        bench.fail(1)
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(5)) == [1])
        bench.fail(1)
        #expect(bench.look() == [2])
    }

    @Test func `a run that waits for a retry does not hold up others with a slot`() {
        let queue = JobQueue.suspending(2, delay: .constant(1))
        bench.add(1, queue: queue, retry: .constant(maxAttempts: 2, delay: .seconds(5)))
        bench.add(2, queue: queue)
        bench.look()
        bench.fail(1)
        #expect(bench.turn(to: .seconds(1)) == [2])
        #expect(bench.turn(to: .seconds(5)) == [1])
    }

    @Test func `each attempt after the first is on the disk before it starts`() {
        bench.commitsAtOnce = false
        bench.add(1, retry: .constant(maxAttempts: 3, delay: .zero))
        #expect(bench.look() == [1])
        #expect(bench.flushes == 0)
        bench.fail(1)
        #expect(bench.look() == [])
        #expect(bench.flushes == 1)
        #expect(bench.records(1).last?.status == .running)
        #expect(bench.records(1).last?.attempts == 2)
        #expect(bench.commit(bench.scheduler.changes - 1) == [])
        #expect(bench.commit() == [1])
        #expect(bench.attempts(1) == [1, 2])
    }

    @Test func `the jitter of a wait is derived from the step and is the same each time`() {
        func wait(_ number: Int) -> Duration? {
            let bench = Bench()
            bench.add(number, retry: .exponential(maxAttempts: 2, firstDelay: .seconds(8), jitter: 0.5))
            bench.look()
            bench.fail(number)
            bench.look()
            return bench.scheduler.nextWake
        }
        let waits = (1...40).compactMap(wait)
        #expect(waits == (1...40).compactMap(wait))
        #expect(waits.allSatisfy { $0 >= .seconds(4) && $0 <= .seconds(8) })
        #expect(Set(waits).count > 30)
    }

    @Test func `the failure of a run that is not running is ignored`() {
        bench.add(1, delay: .seconds(5), retry: .constant(maxAttempts: 5))
        bench.look()
        bench.fail(1)
        bench.complete(1)
        bench.scheduler.couldNotSend(Bench.key(1), error: "full", at: bench.now)
        bench.look()
        #expect(bench.end(1) == nil)
        #expect(bench.turn(to: .seconds(5)) == [1])
        #expect(bench.attempts(1) == [1])
    }

    @Test func `a run that cannot deliver its final action fails, whatever its policy`() {
        bench.add(1, retry: .constant(maxAttempts: 5))
        bench.look()
        bench.scheduler.couldNotSend(Bench.key(1), error: "too large", at: bench.now)
        bench.look()
        #expect(bench.end(1) == .failed)
        #expect(bench.error(1) == "too large")
    }
}
