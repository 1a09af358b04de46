import Testing

@testable import JournalStore

@Suite struct `Scheduling, cancelling` {
    private let bench = Bench()

    // MARK: What is cancelled

    @Test func `an ID cancels all runs with its type and value, and no others`() {
        bench.add(1, id: JobID("a"))
        bench.add(2, id: JobID("a"))
        bench.add(3, id: JobID("b"))
        bench.add(4, id: OtherID("a"))
        bench.add(5)
        bench.look()
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.stopped == [1, 2])
        #expect((3...5).allSatisfy { bench.end($0) == nil })
    }

    @Test func `an ID that no run has cancels nothing`() {
        bench.add(1, id: JobID("a"))
        bench.look()
        bench.cancel(id: JobID("b"))
        bench.look()
        #expect(bench.stopped == [])
    }

    @Test func `an ID also cancels the runs of the roots that are given with it`() {
        bench.add(1, id: JobID("a"))
        bench.add(2, root: 7)
        bench.add(3, id: JobID("b"), root: 7)
        bench.add(4, root: 8)
        bench.look()
        bench.scheduler.cancel(id: AnyEffectID(JobID("a")), roots: [7], at: bench.now)
        bench.look()
        #expect(bench.stopped == [1, 2, 3])
    }

    @Test func `a condition gets the ID of each run, or nil if the run has none`() {
        bench.add(1, id: JobID("a"))
        bench.add(2)
        bench.add(3, id: JobID("b"))
        bench.look()
        bench.scheduler.cancel(where: { $0 == nil }, at: bench.now)
        bench.look()
        #expect(bench.stopped == [2])
        bench.scheduler.cancel(where: { ($0?.base as? JobID)?.name == "b" }, at: bench.now)
        bench.look()
        #expect(bench.stopped == [2, 3])
    }

    @Test func `a root has the keys of its live runs, each of them once`() {
        bench.add(1, root: 1)
        bench.add(2, root: 1)
        bench.add(3, root: 2)
        bench.look()
        #expect(bench.scheduler.keys(ofRoot: 1) == [Bench.key(1), Bench.key(2)])
        bench.cancel(1)
        #expect(bench.scheduler.keys(ofRoot: 1) == [Bench.key(2)])
        bench.cancel(2)
        #expect(bench.scheduler.keys(ofRoot: 1).isEmpty)
    }

    @Test func `a key cancels one run and reports whether it was live`() {
        bench.add(1)
        let found = [1, 1, 2].map { bench.scheduler.cancel(Bench.key($0), at: bench.now) }
        #expect(found == [true, false, false])
        bench.look()
        #expect(bench.statuses(1) == [.cancelled])
    }

    @Test func `runs are cancelled in the order of their steps`() {
        for number in (1...20).reversed() { bench.add(number, id: JobID("a")) }
        bench.look()
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.stopped == Array(1...20))
    }

    // MARK: What follows

    private static let waits: [Named<@Sendable (Bench) -> Void>] = [
        Named("it runs", { $0.add(1, id: JobID("a")) }),
        Named("it waits for its own delay", { $0.add(1, id: JobID("a"), delay: .seconds(5)) }),
        Named(
            "it waits for a slot",
            {
                $0.add(9, queue: .suspending(1))
                $0.add(1, id: JobID("a"), queue: .suspending(1))
            }),
        Named(
            "it waits for the queue's delay",
            {
                $0.add(9, queue: .suspending(2, delay: .constant(5)))
                $0.add(1, id: JobID("a"), queue: .suspending(2, delay: .constant(5)))
            }),
        Named(
            "it waits for a retry",
            {
                $0.add(1, id: JobID("a"), retry: .constant(maxAttempts: 2, delay: .seconds(5)))
                $0.look()
                $0.fail(1)
            }),
        Named(
            "it is set aside",
            {
                $0.add(1, id: JobID("a"), delay: .seconds(5))
                $0.scheduler.setAside(Bench.key(1), as: .asked)
            }),
        Named("it was restored to be asked about", { $0.restore(1, as: .asked, id: JobID("a")) }),
    ]

    @Test(arguments: waits) func `a run is cancelled whatever it waits for, and never starts again`(
        _ test: Named<@Sendable (Bench) -> Void>
    ) {
        test.value(bench)
        bench.look()
        let attempts = bench.attempts(1)
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.end(1) == .cancelled)
        #expect(bench.statuses(1).last == .cancelled)
        #expect(bench.records(1).last?.ended == bench.now.date)
        bench.complete(9)
        bench.complete(1)
        bench.fail(1)
        bench.turn(to: .seconds(99))
        #expect(bench.attempts(1) == attempts)
        #expect(bench.statuses(1).count { $0.isFinal } == 1)
        #expect(bench.isForgotten)
    }

    @Test func `only running bodies are stopped`() {
        bench.add(1, id: JobID("a"))
        bench.add(2, id: JobID("a"), delay: .seconds(5))
        bench.look()
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.stopped == [1])
    }

    // MARK: The order inside a step

    @Test func `a run that is added after a cancel is not cancelled`() {
        bench.add(1, id: JobID("a"))
        bench.look()
        bench.cancel(id: JobID("a"))
        bench.add(2, id: JobID("a"))
        #expect(bench.look() == [2])
        #expect(bench.end(1) == .cancelled)
        #expect(bench.end(2) == nil)
    }

    @Test(arguments: [nil, JobQueue.suspending(1), .discarding(1), .newest(1)])
    func `a run that is cancelled by the step that added it never starts`(_ queue: JobQueue?) {
        bench.add(1, id: JobID("a"), queue: queue)
        bench.cancel(id: JobID("a"))
        #expect(bench.look() == [])
        #expect(bench.stopped == [])
        #expect(bench.statuses(1) == [.cancelled])
        #expect(bench.isForgotten)
    }

    @Test func `a slot that a cancel frees is given to the next run at once`() {
        for number in 1...2 { bench.add(number, queue: .suspending(1)) }
        bench.look()
        bench.cancel(1)
        #expect(bench.look() == [2])
    }
}
