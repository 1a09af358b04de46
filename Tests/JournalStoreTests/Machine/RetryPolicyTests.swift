import Foundation
import Testing

@testable import JournalStore

@Suite struct `Machine, retry policies` {
    /// The delay after each failure, including the last one.
    func waits(_ policy: RetryPolicy, random: UInt64 = 0) -> [Duration?] {
        (1...max(policy.maxAttempts, 1)).map { policy.delay(after: $0, random: random) }
    }

    @Test func `RetryPolicy.never allows no second attempt`() {
        #expect(waits(.never) == [nil])
        #expect(RetryPolicy.never.delay(after: 5, random: 0) == nil)
    }

    @Test func `a constant policy has the same delay each time`() {
        #expect(waits(.constant(maxAttempts: 4)) == [.seconds(1), .seconds(1), .seconds(1), nil])
        #expect(
            waits(.constant(maxAttempts: 3, delay: .milliseconds(250)), random: .max)
                == [.milliseconds(250), .milliseconds(250), nil])
        #expect(waits(.constant(maxAttempts: 2, delay: .zero)) == [.zero, nil])
    }

    @Test func `an exponential policy has growing delays, up to the maximum`() {
        #expect(
            waits(.exponential(maxAttempts: 9, jitter: 0)) == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) } + [nil])
        #expect(
            waits(.exponential(maxAttempts: 4, firstDelay: .seconds(2), factor: 3, maxDelay: .seconds(10), jitter: 0))
                == [.seconds(2), .seconds(6), .seconds(10), nil])
        #expect(
            waits(.exponential(maxAttempts: 3, firstDelay: .seconds(90), jitter: 0)) == [
                .seconds(60), .seconds(60), nil,
            ])
    }

    @Test func `a factor below one makes the delays shorter`() {
        #expect(
            waits(.exponential(maxAttempts: 4, firstDelay: .seconds(4), factor: 0.5, jitter: 0))
                == [.seconds(4), .seconds(2), .seconds(1), nil])
    }

    @Test func `jitter shortens a delay by a random part, and never makes it longer`() throws {
        let policy = RetryPolicy.exponential(maxAttempts: 3, firstDelay: .seconds(10), jitter: 0.25)
        let least = try #require(policy.delay(after: 1, random: 0))
        let most = try #require(policy.delay(after: 1, random: .max))
        #expect(least == .seconds(7.5))
        #expect(most <= .seconds(10) && most > .seconds(9.999))
        #expect(policy.delay(after: 1, random: 1 << 63) == .seconds(8.75))
        #expect(policy.delay(after: 2, random: 0) == .seconds(15))
        let all = RetryPolicy.exponential(maxAttempts: 2, firstDelay: .seconds(10), jitter: 7)
        #expect(all.delay(after: 1, random: 0) == .zero)
        let none = RetryPolicy.exponential(maxAttempts: 2, firstDelay: .seconds(10), jitter: -7)
        #expect(none.delay(after: 1, random: 0) == .seconds(10))
    }

    @Test func `a factor or a jitter that is not finite can be stored, and counts the same afterwards`() throws {
        for factor in [Double.nan, .infinity, -.infinity] {
            let policy = RetryPolicy.exponential(maxAttempts: 3, factor: factor, jitter: factor)
            let stored = try JSONDecoder().decode(RetryPolicy.self, from: try JSONEncoder().encode(policy))
            #expect(waits(stored, random: 1 << 63) == waits(policy, random: 1 << 63))
        }
        let policy = RetryPolicy.exponential(maxAttempts: 3, factor: .nan, jitter: .nan)
        #expect(policy == .exponential(maxAttempts: 3, factor: .nan, jitter: .nan), "NaN would make the reducer impure")
        #expect(changed(policy) { ($0.factor, $0.jitter) = (.infinity, .nan) } == policy)
        #expect(waits(policy) == [.seconds(1), .seconds(1), nil])
    }

    @Test func `no delay is negative`() {
        #expect(waits(.constant(maxAttempts: 2, delay: .seconds(-5))) == [.zero, nil])
        #expect(
            waits(.exponential(maxAttempts: 4, factor: -2, maxDelay: .seconds(-1), jitter: 0))
                == [.zero, .zero, .zero, nil])
        #expect(RetryPolicy.exponential(maxAttempts: 4, factor: -2, jitter: 0).delay(after: 2, random: 0) == .zero)
    }

    @Test func `a policy of zero attempts makes one attempt`() {
        #expect(RetryPolicy.constant(maxAttempts: 0).delay(after: 1, random: 0) == nil)
        #expect(RetryPolicy.constant(maxAttempts: -3).delay(after: 1, random: 0) == nil)
    }

    @Test func `the delay of a late attempt is computed at once`() {
        let policy = RetryPolicy.exponential(maxAttempts: .max, jitter: 0)
        #expect(policy.delay(after: .max - 1, random: 0) == .seconds(60))
        // One multiplication for each attempt would not end in a lifetime.
        let slow = RetryPolicy.exponential(maxAttempts: .max, factor: 1 + .ulpOfOne, jitter: 0)
        #expect(slow.delay(after: .max - 1, random: 0) != nil)
    }

    @Test func `a policy is decoded as it was encoded`() throws {
        let codec = JSONCodec()
        for policy in [.never, .constant(maxAttempts: 3), RetryPolicy.exponential(maxAttempts: .max)] {
            #expect(try codec.decode(RetryPolicy.self, from: try codec.encode(policy)) == policy)
        }
    }

    // MARK: Nothing traps

    @Test func `a factor or a jitter that is not a number does not trap`() async {
        await #expect(processExitsWith: .success) {
            _ = RetryPolicy.exponential(maxAttempts: 5, factor: .nan).delay(after: 3, random: 1)
            _ = RetryPolicy.exponential(maxAttempts: 5, factor: .infinity).delay(after: 3, random: 1)
        }
        await #expect(processExitsWith: .success) {
            _ = RetryPolicy.exponential(maxAttempts: 5, jitter: .nan).delay(after: 3, random: 1)
        }
    }

    @Test func `a delay that does not fit does not trap`() async {
        await #expect(processExitsWith: .success) {
            var policy = RetryPolicy.exponential(maxAttempts: 5)
            policy.maxDelay = .seconds(Int64.max)
            policy.firstDelay = .seconds(Int64.max)
            _ = policy.delay(after: 3, random: 1)
        }
    }

    // MARK: Durations

    @Test(
        arguments: [
            (.zero, 0), (.seconds(1), 1_000_000), (.microseconds(7), 7), (.nanoseconds(1_999), 1),
            (.seconds(-2), -2_000_000),
            (.milliseconds(-1_500), -1_500_000), (.seconds(Int64.max), .max), (.seconds(Int64.min), .min),
            (.seconds(Int64.max) + .seconds(1), .max), (.seconds(Int64.min) - .seconds(1), .min),
        ] as [(Duration, Int64)])
    func `a duration in microseconds saturates`(_ duration: Duration, _ microseconds: Int64) {
        #expect(duration.inMicroseconds == microseconds)
    }

    @Test func `a sum saturates at the extremes`() {
        #expect(Int64.max.addingSaturating(1) == .max)
        #expect(Int64.min.addingSaturating(-1) == .min)
        #expect(Int64(5).addingSaturating(-7) == -2)
    }

    private enum Swapped: String, Error, CustomStringConvertible {
        case declined, busy
        var description: String { self == .declined ? "card refused" : "declined" }
    }

    /// Version 0.1.0 stored the description of an error without payload.
    @Test func `an error is known by its case, and by its description only in a policy that was restored`() throws {
        let policy = RetryPolicy.constant(maxAttempts: 3).except(Swapped.declined)
        #expect(policy.isFinal(RetryPolicy.names(of: Swapped.declined)))
        #expect(!policy.isFinal(RetryPolicy.names(of: Swapped.busy)))
        let text = try JSONCodec().encode(policy).replacing("Swapped.declined", with: "Swapped.card refused")
        let restored = changed(try JSONCodec().decode(RetryPolicy.self, from: text)) { $0.canHaveDescriptions = true }
        #expect(restored.isFinal(RetryPolicy.names(of: Swapped.declined)))
        #expect(!restored.isFinal(RetryPolicy.names(of: Swapped.busy)))
    }
}
