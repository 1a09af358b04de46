import Testing

@testable import JournalStore

@Suite struct `Scheduling, what is left of what is over` {
    private let bench = Bench()

    @Test(arguments: [nil, JobQueue.suspending(2), .discarding(2), .newest(2)])
    func `nothing, once all have ended and that is on the disk`(_ queue: JobQueue?) {
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
        #expect(bench.scheduler.keys(of: AnyEffectID(JobID("a")), text: nil).isEmpty)
        #expect(bench.scheduler.keys(ofRoot: 1).isEmpty)
    }

    @Test func `a queue is remembered until an end that decides is on the disk`() {
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

    @Test func `a queue where all get their turn is forgotten at once`() {
        bench.commitsAtOnce = false
        bench.add(1, queue: .suspending(1))
        bench.look()
        bench.complete(1)
        bench.look()
        #expect(bench.isForgotten)
    }

    @Test func `a queue is remembered as long as its last start counts`() {
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

    @Test func `where the delay is random, as long as it may be at the most`() {
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
