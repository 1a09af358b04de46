import Testing

@testable import JournalStore

@Suite struct `Scheduling, many runs of a queue` {
    private let bench = Bench()

    /// How many ready runs are visited meanwhile.
    private func visits(_ body: () -> Void) -> Int {
        let before = bench.scheduler.visits
        body()
        return bench.scheduler.visits - before
    }

    @Test func `what happens in a queue visits none of its runs that are delayed`() {
        let queue = JobQueue.suspending(2_000)
        for number in 1...1_000 { bench.add(number, queue: queue, delay: .seconds(100)) }
        #expect(visits { bench.look() } == 1_000)
        bench.add(1_001, queue: queue)
        #expect(visits { bench.look() } == 1)
        #expect(bench.started == [1_001])
        bench.complete(1_001)
        #expect(visits { bench.look() } == 0)
        bench.cancel(1)
        #expect(visits { bench.look() } == 0)
        #expect(visits { bench.turn(to: .seconds(100)) } == 999)
        #expect(bench.started == [1_001] + Array(2...1_000))
    }

    @Test func `what happens in a queue visits none of its runs that wait for a retry`() {
        let queue = JobQueue.suspending(300)
        for number in 1...200 {
            bench.add(number, queue: queue, retry: .constant(maxAttempts: 2, delay: .seconds(100)))
        }
        bench.look()
        for number in 1...200 {
            bench.fail(number)
            #expect(visits { bench.look() } == 1)
        }
        #expect(visits { bench.turn(to: .seconds(100)) } == 200)
        #expect(bench.started == Array(1...200) + Array(1...200))
    }

    @Test func `what happens in a queue visits one of its runs that wait for its delay`() {
        let queue = JobQueue.suspending(2_000, delay: .constant(10))
        for number in 1...1_000 { bench.add(number, queue: queue) }
        #expect(visits { bench.look() } == 2)
        bench.complete(1)
        #expect(visits { bench.look() } == 1)
        bench.cancel(500)
        #expect(visits { bench.look() } == 1)
        #expect(visits { bench.turn(to: .seconds(10)) } == 2)
        #expect(bench.started == [1, 2])
    }

    @Test func `what happens in a queue with a delay visits none of its runs that have a delay of their own`() {
        let queue = JobQueue.suspending(2_000, delay: .constant(10))
        for number in 1...1_000 { bench.add(number, queue: queue, delay: .seconds(100)) }
        for number in [1_001, 1_002] { bench.add(number, queue: queue) }
        #expect(visits { bench.look() } == 1_002)
        bench.complete(1_001)
        #expect(visits { bench.look() } == 1)
        #expect(visits { bench.turn(to: .seconds(10)) } == 1)
        #expect(visits { bench.turn(to: .seconds(100)) } == 2)
        #expect(bench.started == [1_001, 1_002, 1])
    }
}
