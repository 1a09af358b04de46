import Testing

@testable import JournalStore

@Suite struct `Scheduling, effects that cannot run` {
    private let bench = Bench()

    @Test(arguments: [0, -1, .min].flatMap { [JobQueue.newest($0), .suspending($0), .discarding($0)] })
    func `a maximum below one fails the effect, and the error names the queue`(_ queue: JobQueue) {
        let count = queue.effectQueuePolicy.maxCount
        bench.add(1, queue: queue)
        #expect(bench.look() == [])
        #expect(bench.end(1) == .failed)
        #expect(
            bench.error(1) == "The queue JournalStoreTests.JobQueue runs \(count) effects: it must be one or more.")
        #expect(bench.records(1).map(\.error) == [bench.error(1)])
        #expect(bench.isForgotten)
    }

    @Test func `a refused instance leaves the queue and its policy as they were`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.add(3, queue: .suspending(0))
        #expect(bench.look() == [])
        #expect(bench.end(3) == .failed)
        bench.complete(1)
        #expect(bench.look() == [2])
    }

    @Test func `a restored effect of a queue that runs none fails when it would start`() {
        bench.scheduler.isPaused = true
        bench.restore(1, as: .running, attempts: 1, queue: .suspending(0))
        bench.restore(2, as: .waiting, queue: .suspending(0), delay: .seconds(3_600))
        for number in 3...4 {
            bench.restore(number, as: .waiting, queue: .suspending(0, delay: .constant(.seconds(60)), name: "slow"))
        }
        // Until then its result can be in the journal already, and counts.
        #expect(bench.look() == [])
        #expect(bench.end(1) == nil)
        bench.scheduler.isPaused = false
        #expect(bench.look() == [])
        #expect((1...4).map { bench.end($0) } == [.failed, .failed, .failed, .failed])
        #expect(bench.error(1)?.contains("runs 0 effects") == true)
    }

    @Test func `an effect that cannot be stored fails with the reason, and takes no slot`() {
        bench.add(1, queue: .suspending(1), refusal: "Its ID cannot be encoded.")
        bench.add(2, queue: .suspending(1))
        #expect(bench.look() == [2])
        #expect(bench.end(1) == .failed)
        #expect(bench.error(1) == "Its ID cannot be encoded.")
        #expect(bench.statuses(1) == [.failed])
    }

    @Test func `the error names the app's own type of a queue in a scope`() {
        var request = Bench.request(1)
        request.queue = ScopedQueue(scope: "left", queue: JobQueue.suspending(0))
        bench.scheduler.add(request, at: bench.now)
        bench.look()
        #expect(bench.error(1) == "The queue JournalStoreTests.JobQueue runs 0 effects: it must be one or more.")
    }

    @Test func `a full queue refuses new effects until one leaves`() {
        let last = Scheduler.longestLine + 1
        for number in 1...last { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.add(last + 1, queue: .suspending(1))
        bench.look()
        #expect(bench.end(last) == nil)
        #expect(bench.end(last + 1) == .failed)
        #expect(bench.error(last + 1) == "The queue is full: 100000 effects wait in it.")
        var told = Bench.request(last + 3, queue: .suspending(1))
        told.reportsFailure = true
        bench.scheduler.add(told, at: bench.now)
        bench.look()
        #expect(bench.told == ["\(last + 3) The queue is full: 100000 effects wait in it."])
        #expect(bench.scheduler.queues.values.map(\.waitingCount) == [Scheduler.longestLine])
        bench.complete(1)
        #expect(bench.look() == [2])
        bench.add(last + 2, queue: .suspending(1))
        bench.look()
        #expect(bench.end(last + 2) == nil)
        // It would not wait in the queue.
        bench.add(last + 4, queue: .discarding(1))
        bench.look()
        #expect(bench.end(last + 4) == .discarded)
        bench.add(last + 5, queue: .newest(1))
        #expect(bench.look() == [last + 5])
        #expect(bench.end(3) == .evicted)
    }

    /// Nothing would send it again.
    @Test func `a full queue takes a message to another machine all the same`() {
        let last = Scheduler.longestLine + 1
        for number in 1...last { bench.add(number, queue: .suspending(1)) }
        bench.look()
        var message = Bench.request(last + 1, queue: .suspending(1))
        message.isMessage = true
        bench.scheduler.add(message, at: bench.now)
        bench.look()
        #expect(bench.end(last + 1) == nil)
        #expect(bench.scheduler.queues.values.map(\.waitingCount) == [Scheduler.longestLine + 1])
    }
}
