import Testing

@testable import JournalStore

@Suite struct `Scheduling, telling the machine of a failure` {
    private let bench = Bench()

    private func add(
        _ number: Int, queue: JobQueue? = nil, retry: RetryPolicy = .never, refusal: String? = nil,
        id: (any EffectID)? = nil
    ) {
        var request = Bench.request(number, id: id, queue: queue, retry: retry)
        request.reportsFailure = true
        request.refusal = refusal
        bench.scheduler.add(request, at: bench.now)
    }

    /// Has what the machine is told committed, with the record.
    private func commit(_ number: Int) {
        var record = bench.record(number)
        record?.status = .failed
        record?.error = "broken"
        bench.scheduler.sentLast(Bench.key(number), record, at: bench.now)
        bench.look()
    }

    @Test func `its record waits for that, and is no news of its own then`() {
        add(1)
        bench.look()
        bench.fail(1, "broken")
        bench.look()
        #expect(bench.told == ["1 broken"])
        #expect(bench.statuses(1) == [.running])
        #expect(bench.end(1) == nil)
        commit(1)
        #expect(bench.end(1) == .failed && bench.error(1) == "broken")
        #expect(bench.statuses(1) == [.running])
        #expect(bench.isForgotten)
    }

    @Test func `it keeps its slot until then`() {
        add(1, queue: .suspending(1))
        bench.add(2, queue: .suspending(1))
        bench.look()
        bench.fail(1)
        #expect(bench.look() == [])
        commit(1)
        #expect(bench.started == [1, 2])
    }

    @Test func `only the last of its failures is told`() {
        add(1, retry: .constant(maxAttempts: 3, delay: .seconds(5)))
        bench.look()
        for tick in [5, 10] {
            bench.fail(1, "again")
            bench.look()
            #expect(bench.told == [])
            bench.turn(to: .seconds(tick))
        }
        bench.fail(1, "at last")
        bench.look()
        #expect(bench.told == ["1 at last"])
    }

    @Test func `it is told once, whatever else goes wrong meanwhile`() {
        add(1)
        bench.look()
        bench.fail(1, "broken")
        bench.fail(1, "broken")
        bench.scheduler.fail(Bench.key(1), error: "again", at: bench.now)
        bench.complete(1)
        bench.look()
        #expect(bench.told == ["1 broken"])
        #expect(bench.end(1) == nil)
    }

    @Test func `one that is cancelled in time is not told of`() {
        add(1, queue: .suspending(1), id: JobID("a"))
        bench.add(2, queue: .suspending(1))
        bench.look()
        bench.fail(1)
        bench.look()
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.end(1) == .cancelled)
        #expect(bench.statuses(1) == [.running, .cancelled])
        #expect(bench.started == [1, 2])
    }

    @Test func `where it cannot be told, it has failed all the same`() {
        add(1)
        bench.look()
        bench.fail(1, "broken")
        bench.scheduler.couldNotSend(Bench.key(1), error: "too large", at: bench.now)
        bench.look()
        #expect(bench.end(1) == .failed && bench.error(1) == "too large")
        #expect(bench.statuses(1) == [.running, .failed])
    }

    @Test func `one that cannot say its last word is told of`() {
        add(1)
        bench.look()
        bench.scheduler.couldNotSend(Bench.key(1), error: "too large", at: bench.now)
        bench.look()
        #expect(bench.told == ["1 too large"])
        #expect(bench.end(1) == nil)
    }

    // MARK: What cannot run at all

    @Test(arguments: [nil, JobQueue.suspending(1)])
    func `one that cannot be run is told of, and nothing of it is lost meanwhile`(_ queue: JobQueue?) {
        add(1, queue: queue, refusal: "no handler")
        bench.look()
        #expect(bench.told == ["1 no handler"])
        #expect(bench.started == [])
        #expect(bench.statuses(1).count == 1, "it is in the journal until it is told")
        commit(1)
        #expect(bench.end(1) == .failed)
        #expect(bench.isForgotten)
    }

    @Test func `one whose queue runs none is told of`() {
        add(1, queue: .suspending(0))
        bench.look()
        #expect(bench.told.count == 1 && bench.told[0].hasPrefix("1 The queue"))
        commit(1)
        #expect(bench.isForgotten)
    }

    @Test func `one that came back and cannot be run is told of`() {
        var request = Bench.request(1, queue: .suspending(0))
        request.reportsFailure = true
        request.record.status = .waiting
        bench.scheduler.restore(request, at: bench.now)
        bench.look()
        #expect(bench.told.count == 1)
        commit(1)
        #expect(bench.isForgotten)
    }
}
