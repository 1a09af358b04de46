import Testing

@testable import JournalStore

@Suite struct `Scheduling, a pause` {
    private let bench = Bench()

    init() { bench.scheduler.isPaused = true }

    @Test func `no run starts during a pause, and all that may start do so after it, in order`() {
        bench.add(1)
        for number in 2...4 { bench.add(number, queue: .suspending(2)) }
        bench.add(5, delay: .seconds(5))
        #expect(bench.look() == [])
        #expect(bench.turn(to: .seconds(9)) == [])
        bench.scheduler.isPaused = false
        #expect(bench.look() == [1, 2, 3, 5])
    }

    @Test func `a run whose delay ends during a pause starts after it`() {
        bench.scheduler.isPaused = false
        bench.add(1, delay: .seconds(5))
        bench.add(2, queue: .suspending(1), delay: .seconds(5))
        bench.look()
        bench.scheduler.isPaused = true
        #expect(bench.turn(to: .seconds(5)) == [])
        bench.scheduler.isPaused = false
        #expect(bench.look() == [1, 2])
    }

    @Test func `a run can end or be cancelled during a pause`() {
        bench.scheduler.isPaused = false
        for number in 1...3 { bench.add(number, queue: .suspending(2)) }
        bench.look()
        bench.scheduler.isPaused = true
        bench.complete(1)
        bench.cancel(2)
        bench.look()
        #expect(bench.end(1) == .completed)
        #expect(bench.stopped == [2])
        #expect(bench.started == [1, 2])
        bench.scheduler.isPaused = false
        #expect(bench.look() == [3])
    }
}
