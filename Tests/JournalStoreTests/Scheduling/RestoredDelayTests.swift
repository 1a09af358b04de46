import Testing

@testable import JournalStore

@Suite struct `Scheduling, waits after a restart` {
    /// The original delay, how far away the recorded time is by the wall clock, and the wait that is left.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var delay = Duration.zero
        var queue: JobQueue?
        var attempts = 0
        var retry = RetryPolicy.never
        var notBefore: Duration?
        var wait: Duration
    }

    @Test(arguments: [
        Case(testDescription: "a part of it is over", delay: .seconds(60), notBefore: .seconds(20), wait: .seconds(20)),
        Case(testDescription: "all of it is over", delay: .seconds(60), notBefore: .seconds(-1), wait: .zero),
        Case(testDescription: "it is just over", delay: .seconds(60), notBefore: .zero, wait: .zero),
        Case(
            testDescription: "the wall clock was set back by a year", delay: .seconds(60),
            notBefore: .seconds(31_536_000), wait: .seconds(60)),
        Case(
            testDescription: "the wall clock was set forward by a year", delay: .seconds(60),
            notBefore: .seconds(-31_536_000), wait: .zero),
        Case(
            testDescription: "the queue's delay", queue: .suspending(2, delay: .constant(30)), notBefore: .seconds(12),
            wait: .seconds(12)),
        Case(
            testDescription: "the queue's delay, and the clock was set back",
            queue: .suspending(2, delay: .constant(30)), notBefore: .seconds(99_999), wait: .seconds(30)),
        Case(
            testDescription: "the queue's random delay is at the most its upper bound",
            queue: .suspending(2, delay: .random(10...30)), notBefore: .seconds(99_999), wait: .seconds(30)),
        Case(
            testDescription: "the next attempt", attempts: 1,
            retry: .constant(maxAttempts: 3, delay: .seconds(8)), notBefore: .seconds(5), wait: .seconds(5)),
        Case(
            testDescription: "the next attempt, and the clock was set back", attempts: 2,
            retry: .exponential(maxAttempts: 5, firstDelay: .seconds(4), jitter: 0), notBefore: .seconds(99_999),
            wait: .seconds(8)),
        Case(testDescription: "no time is recorded", delay: .seconds(60), wait: .zero),
    ])
    func `a restored wait ends at the recorded time, but is not longer than the original delay`(_ test: Case) {
        let bench = Bench()
        bench.now.tick = .seconds(1000)
        bench.restore(
            1, as: .delayed, attempts: test.attempts, notBefore: test.notBefore, queue: test.queue, delay: test.delay,
            retry: test.retry)
        let due = Duration.seconds(1000) + test.wait
        if test.wait > .zero {
            #expect(bench.look() == [])
            #expect(bench.scheduler.nextWake == due)
            #expect(bench.turn(to: due - .microseconds(1)) == [])
        }
        #expect(bench.turn(to: due) == [1])
    }

    @Test(arguments: [(1_500, 7), (1_501, 8), (2_500, 8), (2_501, 9), (400, 6)])
    func `the time at which a wait ends is recorded rounded up`(tick: Int, date: Int64) {
        let now = Moment(tick: .nanoseconds(1_500), date: Timestamp(microseconds: 7))
        #expect(now.date(at: .nanoseconds(tick)) == Timestamp(microseconds: date))
    }

    @Test(arguments: [Int64.min, .max]) func `a time beyond any clock stalls nothing`(_ microseconds: Int64) {
        let bench = Bench()
        var request = Bench.request(1, delay: .seconds(60))
        request.record.status = .delayed
        request.record.notBefore = Timestamp(microseconds: microseconds)
        bench.scheduler.restore(request, at: bench.now)
        bench.look()
        bench.turn(to: .seconds(60))
        #expect(bench.started == [1])
    }

    @Test func `the wall clock does not change a delay while the store is open`() {
        let bench = Bench()
        bench.add(1, delay: .seconds(60))
        bench.look()
        bench.now = Moment(tick: .seconds(59), date: Timestamp(microseconds: .max))
        #expect(bench.look() == [])
        bench.now = Moment(tick: .seconds(60), date: Timestamp(microseconds: .min))
        #expect(bench.look() == [1])
    }
}
