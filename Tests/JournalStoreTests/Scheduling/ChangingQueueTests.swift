import Testing

@testable import JournalStore

@Suite struct `Scheduling, a queue that changes` {
    private let bench = Bench()

    @Test func `the policy of the newest instance applies`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.add(3, queue: .suspending(3))
        #expect(bench.look() == [2, 3])
        bench.add(4, queue: .discarding(3))
        bench.look()
        #expect(bench.end(4) == .discarded)
    }

    @Test func `a larger maximum starts waiting runs at once and in order`() {
        for number in 1...4 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.update(JobQueue.suspending(3))
        #expect(bench.look() == [2, 3])
    }

    @Test(arguments: [JobQueue.suspending(1), .newest(1), .discarding(1)])
    func `a smaller maximum cancels nothing, but starts nothing until there is room`(_ queue: JobQueue) {
        for number in 1...4 { bench.add(number, queue: .suspending(3)) }
        bench.look()
        bench.update(queue)
        #expect(bench.look() == [])
        #expect(bench.stopped == [])
        bench.complete(1)
        bench.complete(2)
        #expect(bench.look() == [])
        bench.complete(3)
        #expect(bench.look() == [4])
    }

    @Test func `a changed delay applies at once, whether it is shorter or longer`() {
        for number in 1...3 { bench.add(number, queue: .suspending(3, delay: .constant(10))) }
        bench.look()
        bench.update(JobQueue.suspending(3, delay: .constant(4)))
        #expect(bench.look() == [])
        #expect(bench.scheduler.nextWake == .seconds(4))
        #expect(bench.turn(to: .seconds(4)) == [2])
        bench.update(JobQueue.suspending(3, delay: .constant(20)))
        #expect(bench.turn(to: .seconds(10)) == [])
        #expect(bench.turn(to: .seconds(23)) == [])
        #expect(bench.turn(to: .seconds(24)) == [3])
    }

    @Test func `a removed delay starts all waiting runs`() {
        for number in 1...3 { bench.add(number, queue: .suspending(3, delay: .constant(10))) }
        bench.look()
        bench.update(JobQueue.suspending(3))
        #expect(bench.look() == [2, 3])
    }

    @Test func `a delay of a newer instance applies to runs that already wait`() {
        for number in 1...2 { bench.add(number, queue: .suspending(2, delay: .constant(1))) }
        bench.look()
        bench.add(3, queue: .suspending(3, delay: .constant(30)))
        #expect(bench.turn(to: .seconds(29)) == [])
        #expect(bench.turn(to: .seconds(30)) == [2])
        #expect(bench.turn(to: .seconds(60)) == [3])
    }

    @Test func `the new rule is recorded with the last start`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1, delay: .constant(10))) }
        bench.look()
        bench.turn(to: .seconds(3))
        let updated = JobQueue.newest(4, delay: .constant(5))
        bench.update(updated)
        bench.look()
        #expect(bench.remembered.last?.name == "jobs")
        #expect(bench.remembered.last?.rule == QueueRule(updated))
        #expect(bench.remembered.last?.lastStart == Bench().now.date)
    }

    @Test func `an update of an empty queue does nothing`() {
        bench.update(JobQueue.suspending(3))
        #expect(bench.look() == [])
        #expect(bench.commands.isEmpty)
        #expect(bench.isForgotten)
    }

    @Test func `an update does not change other queues`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.update(JobQueue.suspending(9, name: "others"))
        #expect(bench.look() == [])
    }

    /// Its rule would be that of the queue after a restart, when the newer effect has ended.
    @Test func `a retry of an older effect stores the rule of a newer one`() {
        bench.add(2, queue: .suspending(3))
        bench.look()
        #expect(bench.remembered.isEmpty)
        bench.restore(1, as: .waiting, queue: .suspending(1))
        bench.look()
        #expect(bench.remembered.map(\.rule) == [QueueRule(JobQueue.suspending(3))])
    }

    @Test func `a retry of a newer effect brings its rule, and older ones do not count any more`() {
        bench.restore(1, as: .waiting, queue: .suspending(1))
        bench.restore(3, as: .waiting, queue: .suspending(2))
        bench.restore(2, as: .waiting, queue: .suspending(1))
        #expect(bench.scheduler.queues.values.map(\.rule) == [QueueRule(JobQueue.suspending(2))])
        #expect(bench.scheduler.queues.values.map(\.record.since) == [Bench.key(3)])
    }

    @Test func `an update to a maximum below one is ignored`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.update(JobQueue.suspending(0))
        bench.complete(1)
        #expect(bench.look() == [2])
    }
}
