import Testing

@testable import JournalStore

@Suite struct `Scheduling, an effect's own delay` {
    private let bench = Bench()

    @Test func `a delayed run starts when its delay is over, and not before`() {
        bench.add(1, delay: .seconds(5))
        #expect(bench.look() == [])
        #expect(bench.scheduler.nextWake == .seconds(5))
        #expect(bench.statuses(1) == [.delayed])
        #expect(bench.records(1).last?.notBefore == bench.now.date(at: .seconds(5)))
        #expect(bench.turn(to: .milliseconds(4_999)) == [])
        #expect(bench.turn(to: .seconds(5)) == [1])
        #expect(bench.scheduler.nextWake == nil)
    }

    @Test(arguments: [Duration.zero, .seconds(-3)]) func `a delay of zero or less is no delay`(_ delay: Duration) {
        bench.add(1, delay: delay)
        #expect(bench.look() == [1])
        #expect(bench.statuses(1) == [.running])
    }

    @Test func `the run that is due first starts first, whatever the order of arrival`() {
        for (number, seconds) in [7, 2, 9, 4, 1].enumerated() { bench.add(number + 1, delay: .seconds(seconds)) }
        bench.look()
        for second in 1...9 { bench.turn(to: .seconds(second)) }
        #expect(bench.started == [5, 2, 4, 1, 3])
    }

    @Test func `a delay counts from the step, so it can end while the run waits for a slot`() {
        bench.add(1, queue: .suspending(1))
        bench.add(2, queue: .suspending(1), delay: .seconds(5))
        bench.look()
        bench.turn(to: .seconds(8))
        bench.complete(1)
        #expect(bench.look() == [2])
    }

    @Test func `a run that gets its slot during its delay waits for the rest`() {
        bench.add(1, queue: .suspending(1))
        bench.add(2, queue: .suspending(1), delay: .seconds(5))
        bench.look()
        bench.turn(to: .seconds(3))
        bench.complete(1)
        #expect(bench.look() == [])
        #expect(bench.scheduler.nextWake == .seconds(5))
        #expect(bench.turn(to: .seconds(5)) == [2])
    }

    @Test func `a delayed run keeps its slot in the queue`() {
        bench.add(1, queue: .suspending(1), delay: .seconds(5))
        bench.add(2, queue: .suspending(1))
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(5)) == [1])
        bench.complete(1)
        #expect(bench.look() == [2])
    }

    @Test(arguments: [nil, JobQueue.suspending(1)])
    func `a run that is cancelled during its delay never starts`(_ queue: JobQueue?) {
        bench.add(1, queue: queue, delay: .seconds(5))
        bench.look()
        bench.cancel(1)
        #expect(bench.turn(to: .seconds(5)) == [])
        #expect(bench.end(1) == .cancelled)
        #expect(bench.statuses(1) == [.delayed, .cancelled])
        #expect(bench.records(1).last?.notBefore == nil)
        #expect(bench.isForgotten)
    }
}
