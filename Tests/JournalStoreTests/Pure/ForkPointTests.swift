import Testing

@testable import JournalStore

private func attempt(_ number: Int, ended: Int64, _ error: String = "no") -> EffectAttempt {
    EffectAttempt(
        number: number, started: Timestamp(microseconds: Int64(number)), ended: Timestamp(microseconds: ended),
        error: error)
}

@Suite struct `Pure, the fork point` {
    typealias Status = EffectRun.Status

    /// A run of step 2, as it was recorded later; the step after the fork has the time 101.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var status: Status
        var started: Int64? = 20
        var ended: Int64?
        var said = ForkPoint.Said()
        var becomes: Status
        var delivered = 3
        var attempts = 2
    }

    @Test(arguments: [
        Case(testDescription: "running", status: .running, becomes: .asked),
        Case(testDescription: "waiting", status: .waiting, becomes: .asked),
        Case(testDescription: "delayed", status: .delayed, becomes: .asked),
        Case(testDescription: "asked about", status: .asked, becomes: .asked),
        Case(testDescription: "parked", status: .parked, becomes: .asked),
        Case(testDescription: "orphaned", status: .orphaned, becomes: .asked),
        Case(testDescription: "completed before the fork", status: .completed, ended: 99, becomes: .completed),
        Case(testDescription: "completed at the fork", status: .completed, ended: 100, becomes: .completed),
        Case(testDescription: "completed after the fork", status: .completed, ended: 101, becomes: .asked),
        Case(
            testDescription: "completed with an action that the fork has, in the transaction of the next step",
            status: .completed, ended: 101, said: .init(shared: Timestamp(microseconds: 101)), becomes: .completed),
        Case(
            testDescription: "sent an action before the fork, in the transaction of the next step, and completed later",
            status: .completed, ended: 102, said: .init(shared: Timestamp(microseconds: 101)), becomes: .asked),
        Case(testDescription: "failed after the fork", status: .failed, ended: 101, becomes: .asked),
        Case(testDescription: "cancelled after the fork", status: .cancelled, ended: 101, becomes: .asked),
        Case(testDescription: "evicted after the fork", status: .evicted, ended: 101, becomes: .asked),
        Case(testDescription: "evicted before the fork", status: .evicted, ended: 50, becomes: .evicted),
        Case(
            testDescription: "discarded by its queue", status: .discarded, started: nil, ended: 101,
            becomes: .discarded),
        Case(testDescription: "completed, with no recorded end", status: .completed, becomes: .completed),
        Case(
            testDescription: "sent an action after the fork, with the clock set back", status: .completed,
            ended: 90,
            said: .init(entries: 1, delivered: 1), becomes: .asked, delivered: 2),
        Case(
            testDescription: "sent more actions than it counts", status: .running,
            said: .init(entries: 9, delivered: 9), becomes: .asked, delivered: 0),
        Case(
            testDescription: "restart action sent after the fork", status: .cancelled, ended: 90,
            said: .init(entries: 1, delivered: 0), becomes: .asked),
        Case(
            testDescription: "started after the fork", status: .running, started: 101, becomes: .asked, attempts: 0),
        Case(
            testDescription: "started at the fork", status: .running, started: 100, becomes: .asked),
    ])
    func `a forked run is asked about if it was live at the fork, and is unchanged otherwise`(_ test: Case) {
        var run = EffectRun(
            stream: StreamID(rawValue: 1), step: 2, ordinal: 0, rootStep: 2, name: "charge", status: test.status,
            attempts: 2, notBefore: Timestamp(microseconds: 7),
            started: test.started.map { Timestamp(microseconds: $0) },
            ended: test.ended.map { Timestamp(microseconds: $0) }, error: "no", delivered: 3)
        run.failures = 1
        let forked = ForkPoint(next: Timestamp(microseconds: 101)).run(run, said: test.said)
        #expect(forked.status == test.becomes)
        guard test.becomes == .asked else {
            #expect(forked == run)
            return
        }
        #expect(forked.ended == nil)
        // What ended a run, or came after the fork, is not known there.
        #expect(forked.error == (test.status.isFinal || test.attempts == 0 ? nil : "no"))
        #expect(forked.notBefore == nil)
        #expect(forked.delivered == test.delivered)
        #expect(forked.attempts == test.attempts)
        // The one failure of a run that failed after the fork is that one.
        #expect(forked.failures == (test.attempts == 0 || test.status == .failed ? 0 : 1))
        #expect(forked.started == (test.attempts == 0 ? nil : run.started))
    }

    @Test func `a forked run counts the attempts that had started at the fork, and the failures until then`() {
        func time(_ microseconds: Int64) -> Timestamp { Timestamp(microseconds: microseconds) }
        var run = EffectRun(
            stream: StreamID(rawValue: 1), step: 2, ordinal: 0, rootStep: 2, name: "charge", status: .running,
            attempts: 3, started: time(20))
        (run.failures, run.error) = (2, "second")
        let attempts = [
            EffectAttempt(number: 1, started: time(20), ended: time(90), error: "first"),
            EffectAttempt(number: 2, started: time(100), ended: time(101), error: "second"),
            EffectAttempt(number: 3, started: time(105)),
        ]
        let forked = ForkPoint(next: time(101)).run(run, attempts: attempts)
        #expect((forked.attempts, forked.failures) == (2, 1))
        #expect(forked.error == "first")
        #expect(run.detached.error == "second", "no attempt is taken back")
    }

    /// A run that had failed, was retried at 110, and has completed since.
    struct Retried: CustomTestStringConvertible {
        var testDescription: String
        var attempts: [EffectAttempt]
        var since: Int64?
        var becomes: Status
    }

    @Test(arguments: [
        Retried(testDescription: "failed before the fork", attempts: [attempt(1, ended: 90)], becomes: .failed),
        Retried(
            testDescription: "failed twice before the fork",
            attempts: [attempt(1, ended: 50, "busy"), attempt(2, ended: 100)], becomes: .failed),
        Retried(
            testDescription: "failed before the fork, and sent an action when it was retried",
            attempts: [attempt(1, ended: 90)], since: 120, becomes: .failed),
        Retried(testDescription: "failed after the fork", attempts: [attempt(1, ended: 101)], becomes: .asked),
        Retried(
            testDescription: "sent an action after the fork and before the retry", attempts: [attempt(1, ended: 90)],
            since: 105, becomes: .asked),
        Retried(testDescription: "nothing is known of its attempts", attempts: [], becomes: .asked),
        Retried(
            testDescription: "failed often before the fork, so that some attempts are not kept",
            attempts: [attempt(1, ended: 50, "busy"), attempt(7, ended: 90)], becomes: .failed),
        Retried(
            testDescription: "was tried so often since that its last attempt before is not kept",
            attempts: [attempt(1, ended: 50), EffectAttempt(number: 7, started: Timestamp(microseconds: 120))],
            becomes: .asked),
    ])
    func `a run that had ended at the fork and was retried later is what it was`(_ test: Retried) throws {
        var run = EffectRun(
            stream: StreamID(rawValue: 1), step: 2, ordinal: 0, rootStep: 2, name: "charge", status: .completed,
            attempts: 3, started: Timestamp(microseconds: 1), ended: Timestamp(microseconds: 130), error: "other",
            delivered: 1)
        run.failures = 2
        let said = ForkPoint.Said(
            entries: test.since == nil ? 0 : 1, delivered: test.since == nil ? 0 : 1,
            since: test.since.map { Timestamp(microseconds: $0) })
        let retry = ForkPoint.Retry(
            time: Timestamp(microseconds: 110), before: .failed, attempts: test.attempts)
        let forked = ForkPoint(next: Timestamp(microseconds: 101)).run(run, said: said, retry: retry)
        #expect(forked.status == test.becomes)
        guard test.becomes == .failed else { return }
        #expect(forked.ended == test.attempts.last?.ended)
        #expect(forked.error == "no")
        let last = try #require(test.attempts.last?.number)
        #expect((forked.attempts, forked.failures) == (last, test.attempts.count))
        #expect(forked.delivered == 1 - said.delivered)
    }

    @Test(arguments: [
        (Status.cancelling, ForkPoint.Said(), Int64.max, false, Status.cancelling),
        (.cancelling, .init(), 101, true, .cancelling), (.cancelling, .init(), 101, false, .asked),
        (.cancelled, .init(entries: 1, beginsWithCancel: true), 101, false, .cancelling),
        (.cancelled, .init(entries: 2, delivered: 1, beginsWithCancel: true), 101, false, .asked),
        (.cancelled, .init(entries: 1), 101, false, .asked), (.cancelled, .init(entries: 1), 101, true, .cancelling),
        (.completed, .init(entries: 1, delivered: 1), 101, true, .asked),
    ])
    func `a run that was cancelled at the fork sends its cancel action`(
        _ status: Status, _ said: ForkPoint.Said, _ next: Int64, _ isCancelled: Bool, _ becomes: Status
    ) {
        var run = EffectRun(
            stream: StreamID(rawValue: 1), step: 2, ordinal: 0, rootStep: 2, name: "charge", status: status,
            ended: status == .cancelling ? nil : Timestamp(microseconds: 101), delivered: 1)
        run.onCancel = "undone"
        let point = ForkPoint(next: Timestamp(microseconds: next))
        let forked = point.run(run, said: said, isCancelled: isCancelled)
        #expect(forked.status == becomes)
        #expect(forked.ended == nil)
        run.onCancel = nil
        #expect(point.run(run, said: said, isCancelled: isCancelled).status == .asked)
    }

    @Test func `a forked message that is asked about counts as not delivered`() {
        let run = EffectRun(
            stream: StreamID(rawValue: 1), step: 2, ordinal: 0, rootStep: 2, name: "till", status: .completed,
            ended: Timestamp(microseconds: 101), delivered: 1, described: #"{"\#(EffectRun.messageKey)":{}}"#)
        #expect(ForkPoint(next: Timestamp(microseconds: 101)).run(run).delivered == 0)
    }

    // MARK: The step

    private func stream(
        _ name: String = "a", head: Int = 20, pruned: Int = 0, seeds: [LaterSeed] = []
    ) -> StreamInfo {
        StreamInfo(
            id: StreamID(rawValue: 1), name: name, machine: "m", created: Timestamp(microseconds: 0), headStep: head,
            headDigest: Digest(of: ""), settledStep: head, prunedStep: pruned, seed: [0], laterSeeds: seeds)
    }

    @Test(arguments: [
        (0, 0, "The stream ends at step 20."), (-1, 0, "ends at step 20"), (21, 0, "ends at step 20"), (1, 0, nil),
        (20, 0, nil), (9, 10, "The entries up to step 10 were pruned"), (10, 10, nil), (11, 10, nil),
        (Int.max, 0, "ends at step 20"),
    ])
    func `a stream can be forked only at a step that it has`(step: Int, pruned: Int, refusal: String?) {
        var found: JournalError?
        do throws(JournalError) { try stream(pruned: pruned).checkFork(at: step, decided: 20, file: "/j.db") } catch {
            found = error
        }
        #expect((found == nil) == (refusal == nil))
        #expect(found?.message.contains(refusal ?? "") ?? true)
        #expect(found?.code ?? .noSuchStep == .noSuchStep)
    }

    @Test func `a stream cannot be forked at a step of which it is not known whether it counts`() throws {
        try stream().checkFork(at: 16, decided: 16, file: "/j.db")
        let error = #expect(throws: JournalError.self) { try stream().checkFork(at: 17, decided: 16, file: "/j.db") }
        #expect(error?.step == 17)
        #expect(error?.message.hasPrefix("It is not known yet whether this step counts") == true)
    }

    @Test func `a refused fork names the stream's last step and the steps that can be forked`() {
        let error = #expect(throws: JournalError.self) { try stream().checkFork(at: 21, decided: 20, file: "/j.db") }
        #expect(
            error?.description
                == "/j.db, stream 'a', step 21: The stream ends at step 20. Name a step from 1 to 20. [no-such-step]")
        let empty = #expect(throws: JournalError.self) {
            try stream(head: 0).checkFork(at: 1, decided: 0, file: "/j.db")
        }
        #expect(empty?.message == "The stream has no step yet.")
    }

    // MARK: Seeds

    @Test(arguments: [(0, 0), (1, 0), (3, 0), (4, 3), (7, 3), (8, 7), (99, 7)])
    func `a step uses the newest seed from before it`(step: Int, seed: UInt8) {
        let stream = stream(seeds: [LaterSeed(step: 3, seed: [3]), LaterSeed(step: 7, seed: [7])])
        #expect(stream.seed(at: step) == [seed])
        #expect(stream.sharedStep == 7)
    }

    // MARK: Names

    @Test func `a stream that a fork leaves behind gets a unique name`() {
        func name(_ name: String, head: Int = 3, taken: Set<String> = []) -> String {
            ForkPoint.nameOfStub(stream(name, head: head), taken: taken)
        }
        #expect(name("shop") == "shop (before the fork)")
        #expect(name("shop", taken: ["shop (before the fork)"]) == "shop (before the fork, 2)")
        #expect(
            name("shop", taken: ["shop (before the fork)", "shop (before the fork, 2)"]) == "shop (before the fork, 3)")
        #expect(name("shop (before the fork)", head: 0) == "shop (before the fork)")
        #expect(name("shop (before the fork)") == "shop (before the fork) (before the fork)")
    }
}
