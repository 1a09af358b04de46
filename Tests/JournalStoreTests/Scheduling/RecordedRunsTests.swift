import Testing

@testable import JournalStore

/// Whatever the journal is not told of a run before its step is settled is lost with the process.
@Suite struct `Scheduling, each run is in the journal after a look` {
    private let bench = Bench()

    private static let places: [Named<@Sendable (Bench) -> Void>] = [
        Named("it runs", { $0.add(1) }),
        Named("it waits for its time", { $0.add(1, delay: .seconds(5)) }),
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
            "it waits behind one that waits for the queue's delay",
            {
                for number in [9, 8, 1] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
            }),
        Named(
            "it has a delay of its own behind one that waits for the queue's",
            {
                for number in [9, 8] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
                $0.add(1, queue: .suspending(3, delay: .constant(5)), delay: .seconds(60))
            }),
    ]

    @Test(arguments: places) func `whatever it waits for`(_ test: Named<@Sendable (Bench) -> Void>) {
        test.value(bench)
        bench.look()
        #expect(bench.statuses(1).count == 1)
    }

    @Test(arguments: places) func `also while nothing may start, as when steps are settled again after a crash`(
        _ test: Named<@Sendable (Bench) -> Void>
    ) {
        bench.scheduler.isPaused = true
        test.value(bench)
        bench.look()
        #expect(!bench.statuses(1).isEmpty)
    }

    // MARK: With a delay of its own

    private static let delayed: [Named<@Sendable (Bench) -> Void>] = [
        Named("it waits for its time", { $0.add(1, delay: .seconds(60)) }),
        Named("it has a slot", { $0.add(1, queue: .suspending(1), delay: .seconds(60)) }),
        Named(
            "it waits for a slot",
            {
                $0.add(9, queue: .suspending(1))
                $0.add(1, queue: .suspending(1), delay: .seconds(60))
            }),
        Named(
            "it stands behind one that waits for the queue's delay",
            {
                for number in [9, 8] { $0.add(number, queue: .suspending(3, delay: .constant(5))) }
                $0.add(1, queue: .suspending(3, delay: .constant(5)), delay: .seconds(60))
            }),
    ]

    @Test(arguments: delayed, [false, true]) func `it comes back with what is left of it`(
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

    // MARK: The rule of its queue

    @Test func `a queue that waits has the newest instance's policy again, not the oldest's`() {
        bench.restore(1, as: .waiting, queue: .suspending(1))
        bench.restore(2, as: .waiting, queue: .suspending(2))
        #expect(bench.look() == [1, 2])
    }

    @Test func `a queue whose maximum is below one by now does not keep what waits for ever`() {
        bench.restore(1, as: .waiting, queue: .suspending(0))
        bench.look()
        #expect(bench.end(1) == .failed)
    }
}

extension Scheduler.Run {
    fileprivate var queue: JobQueue? { request.queue as? JobQueue }
}
