import Testing

@testable import JournalStore

/// Errors outside of a suite, so that their names do not contain the suite's.
enum LastErrors {
    enum Problem: Error { case declined, busy(Int), card(Card) }
    enum Card: Error { case expired, stolen }
    /// An error with a custom description.
    enum Told: Error, CustomStringConvertible {
        case declined, busy

        var description: String { self == .declined ? "The card was declined." : "Try again." }
    }
    struct Down: Error { var code = 1 }
    enum Labelled: Error { case failed(code: Int), failed(reason: String), other(code: Int) }
    /// Of another module than the one of the standard library.
    struct CancellationError: Error {}
}

@Suite struct `Machine, errors that are not retried` {
    private func isFinal(_ policy: RetryPolicy, _ error: any Error) -> Bool {
        policy.isFinal(RetryPolicy.names(of: error))
    }

    @Test func `a policy without exceptions retries every error`() {
        #expect(!isFinal(.constant(maxAttempts: 3), LastErrors.Down()))
    }

    @Test func `an exception by type covers all errors of the type, and no others`() {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(LastErrors.Problem.self, LastErrors.Down.self)
        #expect(isFinal(policy, LastErrors.Problem.declined) && isFinal(policy, LastErrors.Problem.busy(3)))
        #expect(isFinal(policy, LastErrors.Down(code: 9)))
        #expect(!isFinal(policy, LastErrors.Told.declined))
    }

    @Test func `an exception by case covers the case with any payload, and no others`() {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(
            LastErrors.Problem.declined, LastErrors.Problem.busy(1))
        #expect(isFinal(policy, LastErrors.Problem.declined) && isFinal(policy, LastErrors.Problem.busy(77)))
        #expect(!isFinal(policy, LastErrors.Problem.card(.stolen)))
    }

    @Test func `an exception by case counts the outer case, whatever case its payload is`() {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(LastErrors.Problem.card(.expired))
        #expect(isFinal(policy, LastErrors.Problem.card(.stolen)))
        #expect(!isFinal(policy, LastErrors.Card.stolen))
        #expect(!isFinal(policy, LastErrors.Problem.declined))
    }

    @Test func `an exception by case works for a type with a custom description`() {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(LastErrors.Told.declined)
        #expect(isFinal(policy, LastErrors.Told.declined))
        #expect(!isFinal(policy, LastErrors.Told.busy))
    }

    @Test func `an exception that is not an enum covers all errors of its type`() {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(LastErrors.Down(code: 1))
        #expect(isFinal(policy, LastErrors.Down(code: 2)))
        #expect(!isFinal(policy, LastErrors.Problem.declined))
    }

    @Test func `cases that differ only in their labels are one exception`() {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(LastErrors.Labelled.failed(code: 1))
        #expect(isFinal(policy, LastErrors.Labelled.failed(code: 2)))
        #expect(isFinal(policy, LastErrors.Labelled.failed(reason: "no")))
        #expect(!isFinal(policy, LastErrors.Labelled.other(code: 1)))
    }

    private func oneFailure() -> any Error {
        struct Failure: Error {}
        return Failure()
    }

    private func otherFailure() -> any Error {
        struct Failure: Error {}
        return Failure()
    }

    @Test func `types are told apart by their names with their modules, so two local types of one name are not`() {
        let (one, other) = (RetryPolicy.names(of: oneFailure())[0], RetryPolicy.names(of: otherFailure())[0])
        #expect(one == other)
        #expect(one.hasPrefix("JournalStoreTests.") && one.hasSuffix("Failure"))
        let policy = RetryPolicy.constant(maxAttempts: 3).except(CancellationError.self)
        #expect(isFinal(policy, CancellationError()))
        #expect(!isFinal(policy, LastErrors.CancellationError()))
    }

    @Test func `exceptions add up in any order`() throws {
        let one = RetryPolicy.never.except(LastErrors.Down.self).except(LastErrors.Problem.declined)
        let other = RetryPolicy.never.except(LastErrors.Problem.declined).except(
            LastErrors.Down.self, LastErrors.Down.self)
        #expect(one == other)
        #expect(try JSONCodec().encode(one) == JSONCodec().encode(other))
        #expect(one.final == ["JournalStoreTests.LastErrors.Down", "JournalStoreTests.LastErrors.Problem.declined"])
    }

    // MARK: Deadline

    @Test(arguments: [(0, true), (5, true), (5.1, false), (1_000, false)])
    func `an attempt after the deadline is not made`(_ elapsed: Double, _ isTried: Bool) {
        let policy = RetryPolicy.constant(maxAttempts: 9, delay: .seconds(5), deadline: .seconds(10))
        #expect((policy.delay(after: 1, random: 0, elapsed: .seconds(elapsed)) != nil) == isTried)
        #expect(RetryPolicy.constant(maxAttempts: 9).delay(after: 1, random: 0, elapsed: .seconds(elapsed)) != nil)
    }

    @Test func `a deadline of zero allows only the first attempt`() {
        let policy = RetryPolicy.exponential(maxAttempts: 9, deadline: .zero)
        #expect(policy.delay(after: 1, random: 0) == nil)
    }

    @Test func `a policy without a deadline and exceptions is stored without their keys`() throws {
        let codec = JSONCodec()
        let plain = try codec.encode(RetryPolicy.constant(maxAttempts: 3))
        #expect(!plain.contains("deadline") && !plain.contains("final"))
        let policy = RetryPolicy.exponential(maxAttempts: 3, deadline: .seconds(90)).except(LastErrors.Down.self)
        #expect(try codec.decode(RetryPolicy.self, from: codec.encode(policy)) == policy)
        #expect(
            try codec.encode(policy)
                == #"{"deadline":90,"factor":2,"final":["JournalStoreTests.LastErrors.Down"],"firstDelay":1,"jitter":0.1,"maxAttempts":3,"maxDelay":60}"#
        )
    }
}
