import Testing

@testable import JournalStore

/// What is not recorded of a run before its step is settled is lost with the process.
@Suite struct `Scheduling, records of new runs` {
    private let bench = Bench()

    private static let places: [Named<@Sendable (Bench) -> Void>] = [
        Named("it runs", { $0.add(1) }),
        Named("it waits for its own delay", { $0.add(1, delay: .seconds(5)) }),
        Named(
            "it waits for a slot",
            {
                $0.add(9, queue: .suspending(1))
                $0.add(1, queue: .suspending(1))
            }),
        Named(
            "it waits for the queue's delay",
            {
                for number in [9, 1] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
            }),
        Named(
            "it waits after one that waits for the queue's delay",
            {
                for number in [9, 8, 1] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
            }),
        Named(
            "it has its own delay, after one that waits for the queue's",
            {
                for number in [9, 8] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
                $0.add(1, queue: .suspending(3, delay: .constant(5)), delay: .seconds(60))
            }),
    ]

    @Test(arguments: places) func `a run is recorded whatever it waits for`(_ test: Named<@Sendable (Bench) -> Void>) {
        test.value(bench)
        bench.look()
        #expect(bench.statuses(1).count == 1)
    }

    @Test(arguments: places) func `a run is recorded during a pause, as after a crash`(
        _ test: Named<@Sendable (Bench) -> Void>
    ) {
        bench.scheduler.isPaused = true
        test.value(bench)
        bench.look()
        #expect(!bench.statuses(1).isEmpty)
    }

    // MARK: Own delays

    private static let delayed: [Named<@Sendable (Bench) -> Void>] = [
        Named("it waits for its own delay", { $0.add(1, delay: .seconds(60)) }),
        Named("it has a slot", { $0.add(1, queue: .suspending(1), delay: .seconds(60)) }),
        Named(
            "it waits for a slot",
            {
                $0.add(9, queue: .suspending(1))
                $0.add(1, queue: .suspending(1), delay: .seconds(60))
            }),
        Named(
            "it is after one that waits for the queue's delay",
            {
                for number in [9, 8] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
                $0.add(1, queue: .suspending(3, delay: .constant(5)), delay: .seconds(60))
            }),
    ]

    @Test(arguments: delayed, [false, true]) func `a run is restored with what is left of its delay`(
        _ test: Named<@Sendable (Bench) -> Void>, isPaused: Bool
    ) {
        bench.scheduler.isPaused = isPaused
        test.value(bench)
        bench.look()
        var request = Bench.request(1, queue: bench.scheduler.runs[Bench.key(1)]?.queue, delay: .seconds(60))
        request.record = bench.records(1).last ?? request.record
        let next = Bench()
        next.now = Moment(tick: .zero, date: bench.now.date(at: .seconds(10)))
        next.scheduler.restore(request, at: next.now)
        #expect(next.look() == [])
        #expect(next.turn(to: .seconds(49)) == [])
        #expect(next.turn(to: .seconds(50)) == [1])
    }

    // MARK: Queue rules

    @Test func `a restored queue has the policy of the newest instance, not of the oldest`() {
        bench.restore(1, as: .waiting, queue: .suspending(1))
        bench.restore(2, as: .waiting, queue: .suspending(2))
        #expect(bench.look() == [1, 2])
    }

    @Test func `a restored run fails if the maximum of its queue is below one by now`() {
        bench.restore(1, as: .waiting, queue: .suspending(0))
        bench.look()
        #expect(bench.end(1) == .failed)
    }
}

extension Scheduler.Run {
    fileprivate var queue: JobQueue? { request.queue as? JobQueue }
}
