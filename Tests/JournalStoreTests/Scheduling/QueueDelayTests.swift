import Testing

@testable import JournalStore

@Suite struct `Scheduling, a queue's delay` {
    private let bench = Bench()
    private let spaced = JobQueue.suspending(9, delay: .constant(10))

    @Test func `the first run starts at once, and each further one a delay after the last start`() {
        for number in 1...3 { bench.add(number, queue: spaced) }
        #expect(bench.look() == [1])
        #expect(bench.scheduler.nextWake == .seconds(10))
        #expect(bench.turn(to: .milliseconds(9_999)) == [])
        #expect(bench.turn(to: .seconds(10)) == [2])
        #expect(bench.turn(to: .seconds(19)) == [])
        #expect(bench.turn(to: .seconds(20)) == [3])
    }

    /// A host that opened its stream earlier would find nothing to do, close it, and open it again and again.
    @Test func `a run whose own delay is over is not due before its queue lets one start`() {
        bench.add(1, queue: spaced)
        for number in 2...3 { bench.add(number, queue: spaced, delay: .seconds(5)) }
        bench.addTimer(4, .after(.seconds(30)))
        bench.look()
        bench.turn(to: .seconds(6))
        #expect(bench.scheduler.nextWake == .seconds(10))
        let due = bench.scheduler.recordsToWake(at: bench.now).filter { $0.status == .delayed }
            .sorted { $0.step < $1.step }.map { $0.notBefore.map { $0.microseconds - bench.now.date.microseconds } }
        #expect(due == [4_000_000, 4_000_000, 24_000_000])
    }

    @Test func `a run that is added after the delay is over starts at once`() {
        bench.add(1, queue: spaced)
        bench.look()
        bench.turn(to: .seconds(12))
        bench.add(2, queue: spaced)
        #expect(bench.look() == [2])
    }

    @Test func `the delay counts from the last start, not from the end, even if the queue was empty meanwhile`() {
        bench.add(1, queue: spaced)
        bench.look()
        bench.turn(to: .seconds(4))
        bench.complete(1)
        bench.look()
        bench.add(2, queue: spaced)
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(10)) == [2])
    }

    @Test func `a queue that gets a delay again, after a time without one, starts the next run at once`() {
        bench.add(1, queue: spaced)
        bench.look()
        bench.add(2, queue: .suspending(9))
        #expect(bench.look() == [2])
        bench.turn(to: .seconds(4))
        for number in 3...4 { bench.add(number, queue: spaced) }
        #expect(bench.look() == [3])
        #expect(bench.turn(to: .seconds(14)) == [4])
    }

    @Test func `a late start moves the next one`() {
        for number in 1...3 { bench.add(number, queue: spaced) }
        bench.look()
        #expect(bench.turn(to: .seconds(15)) == [2])
        #expect(bench.turn(to: .seconds(24)) == [])
        #expect(bench.turn(to: .seconds(25)) == [3])
    }

    /// The record of a start can take long to be written. Two bodies would begin within the delay.
    @Test func `the delay counts from the time at which a body begins, and not from the decision`() {
        bench.commitsAtOnce = false
        for number in 1...3 { bench.add(number, queue: spaced, startsOnce: true) }
        #expect(bench.look() == [])
        bench.turn(to: .seconds(7))
        #expect(bench.commit() == [1])
        #expect(bench.turn(to: .milliseconds(16_999)) == [])
        bench.turn(to: .seconds(17))
        // Its record is not written before the time of the third one has come as well. Nothing is to be looked at before.
        #expect(bench.turn(to: .seconds(40)) == [])
        #expect(bench.scheduler.nextWake == nil)
        #expect(bench.commit() == [2])
        #expect(bench.turn(to: .seconds(49)) == [])
        bench.turn(to: .seconds(50))
        #expect(bench.commit() == [3])
    }

    @Test func `a run that is cancelled before its body begins lets the next one of a queue with a delay start`() {
        bench.commitsAtOnce = false
        for number in 1...2 { bench.add(number, queue: spaced, startsOnce: true) }
        bench.look()
        bench.turn(to: .seconds(20))
        bench.cancel(1)
        bench.look()
        #expect(bench.commit() == [2])
    }

    @Test func `a run that waits for the delay is recorded with its time`() {
        for number in 1...2 { bench.add(number, queue: spaced) }
        bench.look()
        #expect(bench.statuses(2) == [.delayed])
        #expect(bench.records(2).last?.notBefore == bench.now.date(at: .seconds(10)))
        bench.turn(to: .seconds(10))
        #expect(bench.statuses(2) == [.delayed, .running])
        #expect(bench.records(2).last?.notBefore == nil)
    }

    @Test func `each start is recorded with the rule of the queue`() {
        for number in 1...2 { bench.add(number, queue: spaced) }
        bench.look()
        bench.turn(to: .seconds(10))
        #expect(bench.remembered.map(\.name) == ["jobs", "jobs"])
        #expect(bench.remembered.allSatisfy { $0.rule == QueueRule(spaced) })
        #expect(bench.remembered.last?.lastStart == bench.now.date)
    }

    @Test func `a queue without a delay records no start`() {
        bench.add(1, queue: .suspending(1))
        bench.look()
        #expect(bench.remembered.isEmpty)
    }

    @Test func `a run that is cancelled during the delay never starts, and the next does not wait longer`() {
        for number in 1...3 { bench.add(number, queue: spaced) }
        bench.look()
        bench.cancel(2)
        bench.look()
        #expect(bench.turn(to: .seconds(10)) == [3])
        #expect(bench.end(2) == .cancelled)
    }

    @Test func `no run overtakes one that only waits for the delay`() {
        // Each run draws its own random delay; one with a shorter delay does not overtake one with a longer delay.
        let queue = JobQueue.suspending(9, delay: .random(1.0...9.0))
        for number in 1...9 { bench.add(number, queue: queue) }
        bench.look()
        var steps = 0
        while let next = bench.scheduler.nextWake, steps < 99 {
            bench.turn(to: next)
            steps += 1
        }
        #expect(bench.started == Array(1...9))
    }

    @Test func `a run that a restart runs again starts at once, also behind one that waits for the delay`() {
        bench.add(1, queue: spaced)
        bench.look()
        bench.complete(1)
        // Its own delay or its wait for a retry has ended meanwhile.
        bench.restore(2, as: .delayed, notBefore: .zero, queue: spaced)
        bench.restore(3, as: .running, attempts: 1, queue: spaced)
        #expect(bench.look() == [3])
        #expect(bench.turn(to: .seconds(9)) == [])
        #expect(bench.turn(to: .seconds(10)) == [2])
    }

    @Test func `a run with its own delay does not hold up others`() {
        bench.add(1, queue: spaced, delay: .seconds(35))
        bench.add(2, queue: spaced)
        bench.add(3, queue: spaced)
        #expect(bench.look() == [2])
        #expect(bench.turn(to: .seconds(10)) == [3])
        #expect(bench.turn(to: .seconds(34)) == [])
        #expect(bench.turn(to: .seconds(35)) == [1])
    }

    @Test func `a run whose own delay ends during the queue's delay waits for the rest of that`() {
        bench.add(1, queue: spaced)
        bench.add(2, queue: spaced, delay: .seconds(3))
        bench.look()
        #expect(bench.turn(to: .seconds(3)) == [])
        #expect(bench.turn(to: .seconds(10)) == [2])
    }

    @Test func `a random delay is drawn once, lies between its bounds, and does not change`() {
        let queue = JobQueue.suspending(2, delay: .random(2.0...6.0))
        var drawn: [Duration] = []
        for other in 2...40 {
            let bench = Bench()
            bench.add(1, queue: queue)
            bench.add(other, queue: queue)
            bench.look()
            let wake = bench.scheduler.nextWake ?? .zero
            #expect(wake >= .seconds(2) && wake <= .seconds(6))
            bench.turn(to: wake - .microseconds(1))
            bench.cancel(99)
            #expect(bench.scheduler.nextWake == wake)
            #expect(bench.statuses(other) == [.delayed])
            #expect(bench.turn(to: wake) == [other])
            drawn.append(wake)
        }
        #expect(Set(drawn).count > 30)
    }

    @Test func `a retry waits for the queue's delay as well`() {
        bench.add(1, queue: spaced, retry: .constant(maxAttempts: 2, delay: .seconds(1)))
        bench.look()
        bench.turn(to: .seconds(2))
        bench.fail(1)
        bench.look()
        #expect(bench.turn(to: .seconds(3)) == [])
        #expect(bench.turn(to: .seconds(10)) == [1])
        #expect(bench.attempts(1) == [1, 2])
    }
}
