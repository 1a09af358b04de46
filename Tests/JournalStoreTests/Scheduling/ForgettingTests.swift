import Testing

@testable import JournalStore

@Suite struct `Scheduling, releasing what has ended` {
    private let bench = Bench()

    @Test(arguments: [nil, JobQueue.suspending(2), .discarding(2), .newest(2)])
    func `nothing is left when all runs have ended and their ends are on the disk`(_ queue: JobQueue?) {
        bench.commitsAtOnce = false
        for number in 1...4 { bench.add(number, id: JobID("a"), queue: queue) }
        bench.look()
        for number in 1...4 {
            bench.complete(number)
            bench.look()
        }
        bench.commit()
        #expect(bench.isForgotten)
        #expect(bench.scheduler.nextWake == nil)
        let found = bench.scheduler.keys(of: AnyEffectID(JobID("a")), text: nil)
        #expect(found.isEmpty)
        #expect(bench.scheduler.keys(ofRoot: 1).isEmpty)
    }

    @Test func `a queue that discards is kept until the last end is on the disk`() {
        bench.commitsAtOnce = false
        bench.add(1, queue: .discarding(1))
        bench.look()
        bench.complete(1)
        bench.look()
        #expect(!bench.isForgotten)
        bench.commit(bench.scheduler.changes - 1)
        #expect(!bench.isForgotten)
        bench.commit()
        #expect(bench.isForgotten)
    }

    @Test func `a queue that suspends is released at once`() {
        bench.commitsAtOnce = false
        bench.add(1, queue: .suspending(1))
        bench.look()
        bench.complete(1)
        bench.look()
        #expect(bench.isForgotten)
    }

    @Test func `a queue with a delay is kept until the delay after its last start is over`() {
        bench.add(1, queue: .suspending(1, delay: .constant(10)))
        bench.look()
        bench.complete(1)
        bench.look()
        #expect(bench.scheduler.nextWake == .seconds(10))
        bench.turn(to: .seconds(9))
        #expect(!bench.scheduler.queues.isEmpty)
        bench.turn(to: .seconds(10))
        #expect(bench.isForgotten)
        #expect(bench.scheduler.nextWake == nil)
    }

    @Test func `a queue with a random delay is kept for the longest possible delay`() {
        bench.add(1, queue: .suspending(1, delay: .random(2.0...10.0)))
        bench.look()
        bench.complete(1)
        bench.look()
        bench.turn(to: .seconds(9))
        #expect(!bench.scheduler.queues.isEmpty)
        bench.turn(to: .seconds(10))
        #expect(bench.isForgotten)
    }
}
