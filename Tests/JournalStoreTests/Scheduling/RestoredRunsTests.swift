import Testing

@testable import JournalStore

@Suite struct `Scheduling, restored runs` {
    private let bench = Bench()

    @Test func `a run that was running starts its next attempt when that is on the disk`() {
        bench.commitsAtOnce = false
        bench.restore(1, as: .running, attempts: 1)
        #expect(bench.look() == [])
        #expect(bench.records(1).last?.attempts == 2)
        #expect(bench.flushes == 1)
        #expect(bench.commit() == [1])
        #expect(bench.attempts(1) == [2])
    }

    @Test func `runs that were running start again past any maximum, and those that waited start after them`() {
        for number in 1...3 { bench.restore(number, as: .running, attempts: 1, queue: .suspending(1)) }
        for number in 4...5 { bench.restore(number, as: .waiting, queue: .suspending(1)) }
        #expect(bench.look() == [1, 2, 3])
        bench.complete(1)
        bench.complete(2)
        #expect(bench.look() == [])
        bench.complete(3)
        #expect(bench.look() == [4])
        bench.complete(4)
        #expect(bench.look() == [5])
    }

    @Test func `a new run waits after the restored ones`() {
        for number in 1...2 { bench.restore(number, as: .waiting, queue: .suspending(1)) }
        bench.add(3, queue: .suspending(1))
        bench.look()
        for number in 1...3 {
            bench.complete(number)
            bench.look()
        }
        #expect(bench.started == [1, 2, 3])
    }

    @Test func `a run whose first start is the earliest time of all is retried`() {
        var request = Bench.request(1, retry: .constant(maxAttempts: 3, delay: .seconds(1)))
        request.record.status = .running
        request.record.attempts = 1
        request.record.started = Timestamp(microseconds: .min)
        bench.scheduler.restore(request, at: bench.now)
        #expect(bench.look() == [1])
        bench.fail(1)
        bench.look()
        #expect(bench.statuses(1).last == .delayed)
    }

    @Test func `a run that was waiting without a queue starts its first attempt`() {
        bench.commitsAtOnce = false
        bench.restore(1, as: .waiting)
        #expect(bench.look() == [1])
        #expect(bench.attempts(1) == [1])
    }

    @Test(arguments: [EffectRun.Status.asked, .parked, .orphaned])
    func `a run that waits for a decision holds no slot, never starts, and can be cancelled`(
        _ status: EffectRun.Status
    ) {
        bench.restore(1, as: status, attempts: 1, id: JobID("a"), queue: .suspending(1))
        bench.add(2, queue: .suspending(1))
        #expect(bench.look() == [2])
        #expect(bench.turn(to: .seconds(1_000_000)) == [])
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.statuses(1) == [.cancelled])
        #expect(bench.stopped == [])
    }

    @Test(arguments: [EffectRun.Status.running, .delayed, .waiting])
    func `a run that is set aside holds no slot, and is recorded as set aside`(_ status: EffectRun.Status) {
        bench.restore(1, as: status, attempts: 1, notBefore: .seconds(5), queue: .suspending(1))
        bench.add(2, queue: .suspending(1))
        bench.scheduler.setAside(Bench.key(1), as: .asked)
        #expect(bench.look() == [2])
        #expect(bench.statuses(1) == [.asked])
        #expect(bench.turn(to: .seconds(9)) == [])
    }

    @Test func `a run with a restart action keeps its record until the action is committed`() {
        bench.restore(1, as: .running, attempts: 1)
        bench.scheduler.setAside(Bench.key(1), as: nil)
        #expect(bench.look() == [])
        #expect(bench.statuses(1) == [])
        bench.scheduler.end(Bench.key(1), .cancelled, at: bench.now, isRecorded: true)
        bench.look()
        #expect(bench.statuses(1) == [])
        #expect(bench.end(1) == .cancelled)
        #expect(bench.isForgotten)
    }

    @Test func `setting aside an unknown run does nothing`() {
        bench.scheduler.setAside(Bench.key(1), as: .asked)
        bench.look()
        #expect(bench.commands.isEmpty)
    }

    @Test func `a new run evicts restored runs, the oldest first`() {
        for number in 1...2 { bench.restore(number, as: .running, attempts: 1, queue: .newest(2)) }
        bench.look()
        bench.add(3, queue: .newest(2))
        bench.look()
        #expect(bench.stopped == [1])
    }

    // MARK: Attempts

    @Test func `attempts are counted across restarts`() {
        let retry = RetryPolicy.constant(maxAttempts: 3, delay: .seconds(1))
        bench.restore(1, as: .running, attempts: 2, retry: retry)
        bench.look()
        bench.fail(1)
        bench.look()
        #expect(bench.attempts(1) == [3])
        #expect(bench.end(1) == nil)
        #expect(bench.turn(to: .seconds(1)) == [1])
        bench.fail(1)
        bench.look()
        #expect(bench.end(1) == .failed)
    }

    @Test func `an attempt that the end of the process cut off does not count as failed`() {
        let retry = RetryPolicy.constant(maxAttempts: 2, delay: .seconds(1))
        bench.restore(1, as: .running, attempts: 100, failures: 0, retry: retry)
        bench.look()
        bench.fail(1)
        #expect(bench.end(1) == nil)
        #expect(bench.turn(to: .seconds(1)) == [1])
        #expect(bench.attempts(1) == [101, 102])
        bench.fail(1)
        bench.look()
        #expect(bench.end(1) == .failed)
    }

    @Test func `a run that was waiting for a retry keeps its slot`() {
        let retry = RetryPolicy.constant(maxAttempts: 3, delay: .seconds(5))
        bench.restore(1, as: .delayed, attempts: 1, notBefore: .seconds(3), queue: .suspending(1), retry: retry)
        bench.add(2, queue: .suspending(1))
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(3)) == [1])
        #expect(bench.attempts(1) == [2])
    }
}
