import Testing

@testable import JournalStore

@Suite struct `Scheduling, failure actions` {
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

    /// Commits the failure action, with the record.
    private func commit(_ number: Int) {
        var record = bench.record(number)
        record?.status = .failed
        record?.error = "broken"
        bench.scheduler.sentLast(Bench.key(number), record, at: bench.now)
        bench.look()
    }

    /// A full disk can last while thousands of effects fail.
    @Test func `while nothing can be written, only so many failures are kept for a report`() {
        bench.commitsAtOnce = false
        for number in 1...Scheduler.mostUnreported + 5 { bench.add(number, refusal: "no") }
        bench.look()
        #expect(bench.scheduler.unreported.count == Scheduler.mostUnreported)
    }

    /// The run has no body any more: nothing else would end it.
    @Test func `a run that was set aside fails if the action of its restart policy cannot be stored`() {
        bench.restore(1, as: .running, attempts: 1)
        bench.scheduler.setAside(Bench.key(1), as: nil)
        bench.scheduler.couldNotSend(Bench.key(1), error: "too long", at: bench.now)
        bench.look()
        #expect(bench.end(1) == .failed && bench.error(1) == "too long")
        #expect(bench.isForgotten)
    }

    @Test func `the record of a failure is committed with the failure action, not on its own`() {
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

    @Test func `a failed run keeps its slot until its failure action is committed`() {
        add(1, queue: .suspending(1))
        bench.add(2, queue: .suspending(1))
        bench.look()
        bench.fail(1)
        #expect(bench.look() == [])
        commit(1)
        #expect(bench.started == [1, 2])
    }

    @Test func `a failure action is requested only for the last of several failures`() {
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

    @Test func `a failure action is requested once, whatever else fails meanwhile`() {
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

    @Test func `a failure action of a run that is cancelled in time is dropped`() {
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

    @Test(arguments: [nil, "{}"] as [String?])
    func `a run that is cancelled before its failure action is committed keeps the failure in its record`(
        onCancel: String?
    ) throws {
        var request = Bench.request(1)
        request.reportsFailure = true
        request.record.onCancel = onCancel
        bench.scheduler.add(request, at: bench.now)
        bench.look()
        let time = bench.now.date
        bench.fail(1, "broken")
        bench.look()
        bench.turn(to: .seconds(5))
        bench.cancel(1)
        bench.look()
        let record = try #require(bench.records(1).last)
        #expect(record.status == (onCancel == nil ? .cancelled : .cancelling))
        #expect(record.failures == 1 && record.error == "broken")
        #expect(record.notes == [EffectAttempt(number: 1, started: time, ended: time, error: "broken")])
    }

    @Test func `a run that its queue evicts before its failure action is committed keeps the failure`() throws {
        add(1, queue: .newest(1))
        bench.look()
        bench.fail(1, "broken")
        bench.look()
        bench.add(2, queue: .newest(1))
        bench.look()
        let record = try #require(bench.records(1).last)
        #expect(record.status == .evicted && record.error == "broken")
        #expect(record.notes.map(\.error) == ["broken"])
    }

    @Test func `a run that is cancelled and could not start keeps the reason, and has no attempt`() throws {
        add(1, refusal: "no handler")
        bench.look()
        bench.cancel(1)
        bench.look()
        let record = try #require(bench.records(1).last)
        #expect(record.status == .cancelled && record.error == "no handler")
        #expect(record.notes == [])
    }

    @Test func `a run has failed even if its failure action cannot be committed`() {
        add(1)
        bench.look()
        bench.fail(1, "broken")
        bench.scheduler.couldNotSend(Bench.key(1), error: "too large", at: bench.now)
        bench.look()
        #expect(bench.end(1) == .failed && bench.error(1) == "too large")
        #expect(bench.statuses(1) == [.running, .failed])
        #expect(bench.reported == ["1 too large"])
    }

    @Test func `a failure that the machine hears of is not reported`() {
        add(1)
        bench.look()
        bench.fail(1)
        bench.look()
        commit(1)
        #expect(bench.end(1) == .failed && bench.reported.isEmpty)
    }

    @Test func `a failure action of a run that cannot deliver its final action is requested`() {
        add(1)
        bench.look()
        bench.scheduler.couldNotSend(Bench.key(1), error: "too large", at: bench.now)
        bench.look()
        #expect(bench.told == ["1 too large"])
        #expect(bench.end(1) == nil)
    }

    // MARK: Effects that cannot run

    @Test(arguments: [nil, JobQueue.suspending(1)])
    func `a failure action of a run that cannot start is requested, and its run is recorded`(_ queue: JobQueue?) {
        add(1, queue: queue, refusal: "no handler")
        bench.look()
        #expect(bench.told == ["1 no handler"])
        #expect(bench.started == [])
        #expect(bench.statuses(1).count == 1, "the run is in the journal until then")
        commit(1)
        #expect(bench.end(1) == .failed)
        #expect(bench.isForgotten)
    }

    @Test func `a failure action of a run that its queue refuses is requested`() {
        add(1, queue: .suspending(0))
        bench.look()
        #expect(bench.told.count == 1 && bench.told[0].hasPrefix("1 The queue"))
        commit(1)
        #expect(bench.isForgotten)
    }

    @Test func `a failure action of a run that is restored but cannot start is requested`() {
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
