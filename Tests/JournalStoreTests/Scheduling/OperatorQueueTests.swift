import Testing

@testable import JournalStore

/// What an operator does to runs must not confuse their queue.
@Suite struct `Scheduling, operators and queues` {
    private let bench = Bench()

    @Test func `a waiting run that was released and cancelled leaves its queue`() {
        for number in 1...3 { bench.add(number, queue: .suspending(1)) }
        #expect(bench.look() == [1])
        bench.scheduler.release(Bench.key(2), at: bench.now)
        bench.look()
        bench.cancel(2)
        bench.complete(1)
        #expect(bench.look() == [3])
        bench.complete(3)
        bench.look()
        #expect(bench.isForgotten)
    }

    @Test func `a run that was set aside, released and cancelled leaves its queue`() {
        for number in 1...3 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.scheduler.setAside(Bench.key(2), as: .asked)
        bench.scheduler.release(Bench.key(2), at: bench.now)
        bench.cancel(2)
        bench.complete(1)
        #expect(bench.look() == [3])
        bench.complete(3)
        bench.look()
        #expect(bench.isForgotten)
    }

    @Test func `a released run keeps its place in the line and loses its own delay`() {
        bench.add(1, queue: .suspending(1))
        bench.add(2, queue: .suspending(1), delay: .seconds(60))
        bench.add(3, queue: .suspending(1))
        bench.look()
        bench.scheduler.release(Bench.key(2), at: bench.now)
        bench.look()
        bench.complete(1)
        #expect(bench.look() == [2])
    }

    /// As a delayed run with an attempt it would be one that waits for its retry, to which its restart policy applies.
    @Test func `a released run that its queue delays is recorded as waiting`() {
        let queue = JobQueue.suspending(1, delay: .constant(.seconds(4)))
        bench.add(1, queue: queue)
        bench.look()
        bench.complete(1)
        bench.restore(2, as: .asked, attempts: 1, queue: queue)
        bench.scheduler.release(Bench.key(2), at: bench.now)
        #expect(bench.look() == [])
        #expect(bench.statuses(2).last == .waiting)
        #expect(bench.turn(to: .seconds(4)) == [2])
    }

    /// What is recorded of a run, as the next opening reads it.
    private func restored(_ number: Int, queue: JobQueue, delay: Duration = .zero, in next: Bench) {
        next.now = bench.now
        var request = Bench.request(number, queue: queue, delay: delay)
        if let record = bench.records(number).last { request.record = record }
        next.scheduler.restore(request, at: next.now)
    }

    /// Otherwise it would go behind a younger one with a slot.
    @Test func `a released run with a slot has it after a restart too`() {
        let queue = JobQueue.newest(2, delay: .constant(.seconds(4)))
        bench.add(1, queue: queue)
        bench.look()
        bench.complete(1)
        bench.restore(2, as: .asked, attempts: 1, queue: queue)
        bench.scheduler.release(Bench.key(2), at: bench.now)
        bench.add(3, queue: queue)
        bench.look()
        let next = Bench()
        for number in 2...3 { restored(number, queue: queue, in: next) }
        next.add(4, queue: queue)
        next.look()
        #expect((2...4).map { next.end($0) } == [.evicted, nil, nil])
    }

    @Test func `a released run in the line is in it after a restart too`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.restore(3, as: .asked, attempts: 1, queue: .suspending(1))
        bench.scheduler.release(Bench.key(3), at: bench.now)
        bench.look()
        let next = Bench()
        for number in 1...3 { restored(number, queue: .suspending(1), in: next) }
        #expect(next.look() == [1])
        #expect(next.scheduler.queues.values.map(\.waiting) == [[Bench.key(2), Bench.key(3)]])
    }

    @Test(arguments: [JobQueue.suspending(2), .suspending(2, delay: .constant(.seconds(4)))])
    func `a released run does not wait for its own delay after a restart`(_ changed: JobQueue) {
        let queue = JobQueue.suspending(2, delay: .constant(.seconds(30)))
        bench.add(1, queue: queue)
        bench.add(2, queue: queue, delay: .seconds(60))
        bench.look()
        bench.scheduler.release(Bench.key(2), at: bench.now)
        bench.look()
        bench.turn(to: .seconds(5))
        let next = Bench()
        restored(2, queue: changed, delay: .seconds(55), in: next)
        #expect(next.look() == [2])
    }

    @Test func `a run that was running before a restart, and is set aside and released, starts anew in its queue`() {
        let queue = JobQueue.suspending(2, delay: .constant(.seconds(4)))
        bench.add(1, queue: queue)
        bench.look()
        bench.restore(2, as: .running, attempts: 1, queue: queue)
        bench.scheduler.setAside(Bench.key(2), as: .asked)
        bench.look()
        bench.scheduler.release(Bench.key(2), at: bench.now)
        bench.add(3, queue: queue)
        bench.look()
        bench.complete(1)
        #expect(bench.turn(to: .seconds(4)) == [2])
        #expect(bench.turn(to: .seconds(8)) == [3])
    }

    @Test func `a released run that a crash loop held back starts once`() {
        bench.scheduler.holdsRestored = true
        bench.restore(1, as: .running, attempts: 1)
        #expect(bench.look() == [])
        #expect(bench.scheduler.held == [Bench.key(1)])
        let isReleased = bench.scheduler.release(Bench.key(1), at: bench.now)
        #expect(isReleased)
        bench.look()
        bench.scheduler.admitAll(at: bench.now)
        bench.look()
        #expect(bench.started == [1])
    }

    @Test(arguments: [true, false]) func `a run whose attempt is under way is not released`(_ isCommitted: Bool) {
        bench.commitsAtOnce = isCommitted
        bench.add(1, startsOnce: true)
        bench.look()
        let isReleased = bench.scheduler.release(Bench.key(1), at: bench.now)
        #expect(!isReleased)
        bench.commit()
        #expect(bench.started == [1])
    }

    @Test func `a message is sent during a crash loop`() {
        bench.scheduler.holdsRestored = true
        var request = Bench.request(1, queue: .suspending(1))
        request.isMessage = true
        request.hasBody = false
        bench.scheduler.restore(request, at: bench.now)
        bench.look()
        #expect(bench.scheduler.held.isEmpty)
        #expect(bench.scheduler.runs[Bench.key(1)]?.phase.isSending == true)
    }

    @Test func `those of a group that their queue delays are held back again`() {
        bench.scheduler.holdsRestored = true
        let queue = JobQueue.suspending(3, delay: .constant(.seconds(4)))
        for number in 1...2 { bench.restore(number, as: .waiting, queue: queue) }
        bench.restore(3, as: .running, attempts: 1)
        bench.look()
        let keys = bench.scheduler.held.sorted()
        #expect(keys.map(\.step) == [1, 2, 3])
        let change = bench.scheduler.changes + 1
        let started = bench.scheduler.start(held: keys, after: change, at: bench.now)
        #expect(started.map(\.step) == [1, 3])
        bench.look()
        #expect(bench.started == [1, 3])
        #expect(bench.turn(to: .seconds(4)) == [])
        #expect(bench.scheduler.held == [Bench.key(2)])
    }

    @Test func `no body of a group starts before the change that records the suspects is on the disk`() {
        bench.scheduler.holdsRestored = true
        bench.commitsAtOnce = false
        for number in 1...3 { bench.restore(number, as: .waiting) }
        bench.look()
        let (keys, change) = (bench.scheduler.held.sorted(), bench.scheduler.changes + 1)
        let started = bench.scheduler.start(held: keys, after: change, at: bench.now)
        #expect(started == keys)
        #expect(started.count == 3)
        bench.look()
        #expect(bench.started == [])
        bench.commit(change)
        #expect(bench.started == [1, 2, 3])
    }

    @Test func `runs that a crash loop held back keep the delay of their queue`() {
        bench.scheduler.holdsRestored = true
        let queue = JobQueue.suspending(2, delay: .constant(.seconds(4)))
        for number in 1...2 { bench.restore(number, as: .waiting, queue: queue) }
        bench.look()
        bench.scheduler.admitAll(at: bench.now)
        #expect(bench.look() == [1])
        #expect(bench.turn(to: .seconds(4)) == [2])
    }
}
