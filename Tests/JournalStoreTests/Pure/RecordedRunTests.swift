import Testing

@testable import JournalStore

@Suite struct `An act on an effect by its record` {
    private func recorded(_ status: EffectRun.Status, undecided: Int? = nil, hasEntry: Bool = true) -> RecordedRun {
        let run = EffectRun(
            stream: StreamID(rawValue: 1), step: 2, ordinal: 0, rootStep: 2, name: "charge", status: status)
        return RecordedRun(run: run, undecidedStep: undecided, hasEntry: hasEntry)
    }

    private func refusal(
        _ run: RecordedRun, _ act: Intervention.Act, isHeld: Bool = false
    ) -> JournalError.Code? {
        do throws(JournalError) {
            try run.after(act, at: Timestamp(microseconds: 1), file: "/j.db", stream: "a") {
                () throws(JournalError) in isHeld
            }
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `is refused if the effect has sent its last action, unless it is a cancel or a process settles that`() {
        #expect(refusal(recorded(.running, undecided: 9), .retry) == .notInThatState)
        #expect(refusal(recorded(.running, undecided: 9), .cancel) == nil)
        for act in [Intervention.Act.cancel, .retry] { #expect(refusal(recorded(.running), act) == nil) }
        #expect(refusal(recorded(.running, undecided: 9), .cancel, isHeld: true) == nil)
    }

    @Test func `a retry is refused if the entry was pruned that the effect is found by`() {
        #expect(refusal(recorded(.failed, hasEntry: false), .retry) == .noUsableSnapshot)
        #expect(refusal(recorded(.failed), .retry) == nil)
        #expect(refusal(recorded(.asked, hasEntry: false), .release) == nil)
        var described = recorded(.failed, hasEntry: false)
        described.run.described = "{}"
        #expect(refusal(described, .retry) == nil)
    }

    @Test func `a retry of an effect that is running is left to the process that holds the journal`() {
        #expect(refusal(recorded(.running), .retry, isHeld: true) == nil)
    }

    @Test func `those that are possible are listed`() {
        let effects: [EffectRun.Status: [Intervention.Act]] = [
            .waiting: [.retry, .cancel], .delayed: [.retry, .cancel], .running: [.retry, .cancel],
            .asked: [.release, .retry, .cancel], .parked: [.release, .retry, .cancel], .orphaned: [.cancel],
            .cancelling: [], .completed: [], .failed: [.retry], .cancelled: [.retry], .evicted: [.retry],
            .discarded: [.retry],
        ]
        for (status, acts) in effects { #expect(recorded(status).run.possibleActs == acts, "\(status)") }
        #expect(effects.count == EffectRun.Status.allCases.count)
    }
}
