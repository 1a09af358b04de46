import Testing

@testable import JournalStore

@Suite struct `Scheduling, runs that come back` {
    private let bench = Bench()

    @Test func `one that was running starts again as the next attempt, once that is on the disk`() {
        bench.commitsAtOnce = false
        bench.restore(1, as: .running, attempts: 1)
        #expect(bench.look() == [])
        #expect(bench.records(1).last?.attempts == 2)
        #expect(bench.flushes == 1)
        #expect(bench.commit() == [1])
        #expect(bench.attempts(1) == [2])
    }

    @Test func `those that were running come back past any maximum, and those that waited after them`() {
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

    @Test func `a new one stands behind those that came back`() {
        for number in 1...2 { bench.restore(number, as: .waiting, queue: .suspending(1)) }
        bench.add(3, queue: .suspending(1))
        bench.look()
        for number in 1...3 {
            bench.complete(number)
            bench.look()
        }
        #expect(bench.started == [1, 2, 3])
    }

    @Test func `one that waited for its turn without a queue starts for the first time`() {
        bench.commitsAtOnce = false
        bench.restore(1, as: .waiting)
        #expect(bench.look() == [1])
        #expect(bench.attempts(1) == [1])
    }

    @Test(arguments: [EffectRun.Status.asked, .parked, .orphaned])
    func `one that is the app's to decide holds no slot, never starts, and can be cancelled`(
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
    func `one that is set aside holds no slot, and is recorded as that`(_ status: EffectRun.Status) {
        bench.restore(1, as: status, attempts: 1, notBefore: .seconds(5), queue: .suspending(1))
        bench.add(2, queue: .suspending(1))
        bench.scheduler.setAside(Bench.key(1), as: .asked)
        #expect(bench.look() == [2])
        #expect(bench.statuses(1) == [.asked])
        #expect(bench.turn(to: .seconds(9)) == [])
    }

    @Test func `one whose action the machine is told instead stays as recorded until that is committed`() {
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

    @Test func `setting aside what is not there does nothing`() {
        bench.scheduler.setAside(Bench.key(1), as: .asked)
        bench.look()
        #expect(bench.commands.isEmpty)
    }

    @Test func `the newest of a queue evicts what came back, the oldest first`() {
        for number in 1...2 { bench.restore(number, as: .running, attempts: 1, queue: .newest(2)) }
        bench.look()
        bench.add(3, queue: .newest(2))
        bench.look()
        #expect(bench.stopped == [1])
    }

    // MARK: Attempts

    @Test func `attempts keep their count`() {
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

    @Test func `an attempt that the end of the process cut off is none of those that failed`() {
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

    @Test func `one that waited to be tried again keeps its slot`() {
        let retry = RetryPolicy.constant(maxAttempts: 3, delay: .seconds(5))
        bench.restore(1, as: .delayed, attempts: 1, notBefore: .seconds(3), queue: .suspending(1), retry: retry)
        bench.add(2, queue: .suspending(1))
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(3)) == [1])
        #expect(bench.attempts(1) == [2])
    }
}
