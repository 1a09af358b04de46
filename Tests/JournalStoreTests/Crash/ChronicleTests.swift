import Testing

@testable import JournalStore
@testable import JournalTesting

@Suite struct `What the outside sees` {
    private func body(
        step: Int = 1, attempt: Int = 1, key: String = "k", restart: String = "cancel"
    ) -> Chronicle.Body {
        Chronicle.Body(
            stream: "a", step: step, ordinal: 0, name: "charge", attempt: attempt, idempotencyKey: key, restart: restart
        )
    }

    private func faults(_ first: Chronicle.Body, _ second: Chronicle.Body, restarts: Bool = true) -> [String] {
        var chronicle = Chronicle()
        chronicle.started(first)
        if restarts { chronicle.opening += 1 }
        chronicle.started(second)
        return chronicle.faults
    }

    @Test func `a body that may run once at the most must not start again after a restart`() {
        #expect(
            faults(body(), body(attempt: 2)) == [
                "'charge' (step 1, effect 0) was started again after a restart, though its policy is 'cancel'."
            ])
        #expect(faults(body(), body(attempt: 2), restarts: false) == [], "a retry of the same process")
        #expect(faults(body(restart: "resume"), body(restart: "resume")) == [])
    }

    @Test func `an attempt starts once`() {
        #expect(
            faults(body(restart: "resume"), body(restart: "resume"), restarts: false) == [
                "'charge' (step 1, effect 0) was started twice for attempt 1."
            ])
    }

    @Test func `a key belongs to one run, and a run has one key`() {
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
