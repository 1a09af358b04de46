import Testing

@testable import JournalStore
@testable import JournalTesting

@Suite struct `The chronicle of the crash matrix` {
    private func body(
        step: Int = 1, attempt: Int = 1, key: String = "k", restart: String = "cancel"
    ) -> Chronicle.Body {
        Chronicle.Body(
            journal: 1, stream: "a", step: step, ordinal: 0, name: "charge", attempt: attempt, idempotencyKey: key,
            restart: restart
        )
    }

    private func faults(_ first: Chronicle.Body, _ second: Chronicle.Body, restarts: Bool = true) -> [String] {
        var chronicle = Chronicle()
        chronicle.started(first)
        if restarts { chronicle.opening += 1 }
        chronicle.started(second)
        return chronicle.faults
    }

    @Test func `the chronicle reports a body that may run once and starts again after a restart`() {
        #expect(
            faults(body(), body(attempt: 2)) == [
                "'charge' (step 1, effect 0) was started again after a restart, though its policy is 'cancel'."
            ])
        #expect(faults(body(), body(attempt: 2), restarts: false) == [], "a retry in the same process")
        #expect(faults(body(restart: "resume"), body(restart: "resume")) == [])
    }

    @Test func `the chronicle reports an attempt that starts twice`() {
        #expect(
            faults(body(restart: "resume"), body(restart: "resume"), restarts: false) == [
                "'charge' (step 1, effect 0) was started twice for attempt 1."
            ])
    }

    @Test func `the chronicle reports an idempotency key of two runs, and a run with two keys`() {
        #expect(
            faults(body(), body(step: 2)) == [
                "'charge' (step 2, effect 0) and 'charge' (step 1, effect 0) have the same idempotency key."
            ])
        #expect(
            faults(body(), body(key: "l")) == [
                "'charge' (step 1, effect 0) has a different idempotency key than before."
            ])
    }
}
