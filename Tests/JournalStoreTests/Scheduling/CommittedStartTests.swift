import Testing

@testable import JournalStore

@Suite struct `Scheduling, commits before starts` {
    private let bench = Bench()

    init() { bench.commitsAtOnce = false }

    @Test(arguments: [nil, JobQueue.suspending(1), .discarding(1), .newest(1)])
    func `a first start waits for no commit`(_ queue: JobQueue?) {
        bench.add(1, queue: queue)
        #expect(bench.look() == [1])
        #expect(bench.flushes == 0)
    }

    @Test func `a run that may start only once waits until its start is on the disk`() {
        bench.add(1, startsOnce: true)
        #expect(bench.look() == [])
        #expect(bench.flushes == 1)
        #expect(bench.statuses(1) == [.running])
        #expect(bench.commit(0) == [])
        #expect(bench.commit(1) == [1])
        #expect(bench.attempts(1) == [1])
        #expect(bench.commit(1) == [])
    }

    @Test func `a scheduler that stops starts nothing, not even what waits for its commit`() {
        bench.add(1, startsOnce: true)
        bench.look()
        bench.scheduler.stopStarting()
        #expect(bench.commit(1) == [])
        #expect(bench.look() == [])
    }

    @Test func `an ephemeral run waits for no commit and records nothing`() {
        bench.add(2)
        bench.look()
        bench.add(1, startsOnce: true, isEphemeral: true)
        #expect(bench.look() == [1])
        bench.complete(1)
        bench.look()
        #expect(bench.end(1) == .completed)
        #expect(bench.statuses(1) == [])
        #expect(bench.scheduler.changes == 1)
    }

    @Test func `an ephemeral run that waits, is retried or is cancelled records nothing`() {
        let retry = RetryPolicy.constant(maxAttempts: 2, delay: .seconds(1))
        bench.add(1, queue: .suspending(1), retry: retry, isEphemeral: true)
        bench.add(2, queue: .suspending(1), isEphemeral: true)
        bench.add(3, delay: .seconds(5), isEphemeral: true)
        bench.look()
        bench.fail(1)
        #expect(bench.turn(to: .seconds(1)) == [1])
        bench.cancel(3)
        bench.fail(1)
        #expect(bench.look() == [2])
        #expect((1...3).allSatisfy { bench.records($0).isEmpty })
        #expect(bench.scheduler.changes == 0)
    }

    /// The journal says that it is set aside until then.
    @Test(arguments: [nil, JobQueue.suspending(1)])
    func `a run that was released starts when that is on the disk`(_ queue: JobQueue?) {
        bench.restore(1, as: .asked, queue: queue)
        #expect(bench.look() == [])
        bench.scheduler.release(Bench.key(1), at: bench.now)
        let release = bench.scheduler.changes
        #expect(bench.look() == [])
        #expect(bench.commit(release - 1) == [])
        #expect(bench.commit() == [1])
        #expect(bench.attempts(1) == [1])
    }

    // MARK: Ends and starts that decide

    @Test(arguments: [JobQueue.discarding(1), .newest(1)])
    func `an end in a queue that discards or evicts is on the disk before the start that it permits`(
        _ queue: JobQueue
    ) {
        bench.add(1, queue: queue)
        bench.look()
        bench.complete(1)
        bench.look()
        let end = bench.scheduler.changes
        bench.add(2, queue: queue)
        #expect(bench.look() == [])
        #expect(bench.flushes == 1)
        #expect(bench.statuses(2) == [.running])
        #expect(bench.commit(end - 1) == [])
        #expect(bench.commit(end) == [2])
    }

    @Test func `a cancel that sends an action is on the disk before the start that it permits`() {
        var request = Bench.request(1, queue: .discarding(1))
        request.record.onCancel = "null"
        bench.scheduler.add(request, at: bench.now)
        #expect(bench.look() == [1])
        bench.commit()
        bench.cancel(1)
        bench.look()
        let cancel = bench.scheduler.changes
        bench.add(2, queue: .discarding(1))
        #expect(bench.look() == [])
        #expect(bench.commit(cancel - 1) == [])
        #expect(bench.commit(cancel) == [2])
    }

    @Test func `an end that was committed with a final action is already on the disk`() {
        bench.add(1, queue: .discarding(1))
        bench.look()
        bench.complete(1, isRecorded: true)
        bench.add(2, queue: .discarding(1))
        #expect(bench.look() == [2])
        #expect(bench.statuses(1) == [.running])
    }

    @Test func `an end in a queue that suspends permits the next start without a commit`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.complete(1)
        #expect(bench.look() == [2])
        #expect(bench.flushes == 0)
    }

    @Test func `a start is on the disk before the next start whose delay counts from it`() {
        let queue = JobQueue.suspending(2, delay: .constant(10))
        for number in 1...2 { bench.add(number, queue: queue) }
        #expect(bench.look() == [1])
        let start = bench.scheduler.changes
        #expect(bench.turn(to: .seconds(10)) == [])
        #expect(bench.flushes == 1)
        #expect(bench.commit(start - 2) == [])
        #expect(bench.commit(start) == [2])
    }

    @Test func `a run that evicts another one does not wait for a commit`() {
        bench.add(1, queue: .newest(1))
        bench.look()
        bench.add(2, queue: .newest(1))
        #expect(bench.look() == [2])
        #expect(bench.flushes == 0)
    }

    @Test func `a run does not wait for the commit of a discard before it`() {
        for number in 1...2 { bench.add(number, queue: .discarding(1)) }
        bench.look()
        bench.complete(1, isRecorded: true)
        bench.add(3, queue: .discarding(1))
        #expect(bench.look() == [3])
    }

    @Test func `runs start in the order of the commits that they wait for`() {
        bench.add(1, startsOnce: true)
        bench.look()
        bench.add(2, queue: .discarding(1))
        bench.look()
        bench.complete(2)
        bench.look()
        bench.add(3, startsOnce: true)
        bench.add(4, queue: .discarding(1))
        bench.look()
        #expect(bench.commit(1) == [1])
        #expect(bench.commit() == [4, 3])
    }

    @Test func `a run that waits for the disk has its slot`() {
        bench.add(1, queue: .suspending(1), startsOnce: true)
        bench.add(2, queue: .suspending(1))
        #expect(bench.look() == [])
        #expect(bench.statuses(2) == [.waiting])
        #expect(bench.commit() == [1])
    }

    @Test(arguments: [JobQueue.discarding(1), nil])
    func `a run that is cancelled while it waits for the disk is neither started nor stopped`(_ queue: JobQueue?) {
        bench.add(1, queue: queue, startsOnce: true)
        bench.look()
        bench.cancel(1)
        bench.look()
        #expect(bench.commit() == [])
        #expect(bench.stopped == [])
        #expect(bench.statuses(1) == [.running, .cancelled])
        #expect(bench.isForgotten)
    }

    @Test func `a run that is evicted while it waits for the disk never starts`() {
        bench.add(1, queue: .newest(1), startsOnce: true)
        bench.look()
        bench.add(2, queue: .newest(1))
        #expect(bench.look() == [2])
        #expect(bench.commit() == [])
        #expect(bench.stopped == [])
        #expect(bench.end(1) == .evicted)
    }

    @Test func `a run that is set aside while it waits for the disk does not start`() {
        bench.add(1, startsOnce: true)
        bench.look()
        bench.scheduler.setAside(Bench.key(1), as: .asked)
        #expect(bench.commit() == [])
        #expect(bench.statuses(1) == [.running, .asked])
    }

    @Test func `a body that has not started cannot end`() {
        bench.add(1, startsOnce: true)
        bench.look()
        bench.complete(1)
        bench.fail(1)
        bench.look()
        #expect(bench.end(1) == nil)
        #expect(bench.commit() == [1])
    }

    // MARK: Failed commits

    @Test func `a run whose start cannot be recorded fails with the error and frees its slot`() {
        bench.add(1, queue: .suspending(1), startsOnce: true)
        bench.add(2, queue: .suspending(1))
        bench.look()
        bench.scheduler.couldNotStart(error: "A row was refused.", at: bench.now)
        #expect(bench.scheduler.starting.isEmpty)
        #expect(bench.look() == [2])
        #expect(bench.end(1) == .failed)
        #expect(bench.error(1) == "A row was refused.")
        #expect(bench.stopped == [])
        #expect(bench.commit() == [])
    }

    @Test func `a commit that fails changes neither running runs nor those cancelled meanwhile`() {
        bench.add(1)
        bench.add(2, startsOnce: true)
        bench.look()
        bench.cancel(2)
        bench.scheduler.couldNotStart(error: "A row was refused.", at: bench.now)
        bench.look()
        #expect(bench.end(1) == nil)
        #expect(bench.end(2) == .cancelled)
        #expect(bench.statuses(2) == [.running, .cancelled])
    }
}
