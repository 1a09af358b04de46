import Testing

@testable import JournalStore

/// What is recorded of runs whose bodies have not begun when their store is closed.
@Suite struct `Scheduling, starts that are put back` {
    private let bench = Bench()

    private func putBack(_ numbers: Int...) {
        bench.scheduler.stopStarting()
        bench.scheduler.putBack(Set(numbers.map { Bench.key($0) }))
        bench.look()
    }

    @Test func `a first start is undone, also one that waits for its record to be written`() {
        bench.commitsAtOnce = false
        bench.add(1)
        bench.add(2, startsOnce: true)
        bench.add(3)
        bench.look()
        putBack(1)
        #expect((1...3).map { bench.statuses($0).last } == [.delayed, .delayed, .running])
        #expect((1...3).map { bench.records($0).last?.attempts } == [0, 0, 1])
        #expect(bench.records(1).last?.started == nil)
        #expect(bench.records(1).last?.notBefore == nil)
    }

    @Test func `a run that has ended or was cancelled meanwhile stays as it is`() {
        bench.add(1)
        bench.add(2)
        bench.look()
        bench.cancel(1)
        bench.complete(2)
        putBack(1, 2)
        #expect((1...2).map { bench.statuses($0).last } == [.cancelled, .completed])
    }

    @Test(arguments: [false, true])
    func `the delay of a queue does not count from a start that is undone`(_ isReleased: Bool) {
        let queue = JobQueue.suspending(2, delay: .constant(60))
        if isReleased {
            bench.restore(1, as: .asked, attempts: 1, queue: queue)
            bench.scheduler.release(Bench.key(1), at: bench.now)
        } else {
            bench.add(1, queue: queue)
        }
        bench.look()
        #expect(bench.scheduler.queues.values.compactMap(\.record.lastStart).count == 1)
        putBack(1)
        #expect(bench.scheduler.queues.values.compactMap(\.record.lastStart).isEmpty)
    }

    @Test func `a start after a release is undone, and one after a failure stays`() {
        let retry = RetryPolicy.constant(maxAttempts: 3, delay: .seconds(1))
        bench.restore(1, as: .asked, attempts: 1, retry: retry)
        bench.add(2, retry: retry)
        bench.look()
        bench.scheduler.release(Bench.key(1), at: bench.now)
        bench.fail(2)
        bench.turn(to: .seconds(1))
        #expect((1...2).map { bench.records($0).last?.attempts } == [2, 2])
        putBack(1, 2)
        #expect((1...2).map { bench.statuses($0).last } == [.waiting, .running])
        #expect((1...2).map { bench.records($0).last?.attempts } == [2, 2])
    }

    @Test func `a start after a release that is undone keeps its slot`() {
        bench.restore(1, as: .asked, attempts: 1, queue: .suspending(1))
        bench.scheduler.release(Bench.key(1), at: bench.now)
        bench.look()
        putBack(1)
        #expect(bench.records(1).last?.hasSlotForNextAttempt == true)
    }
}
