#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What the body of an effect is told about its run.
public struct EffectContext: Sendable {
    /// The stream's name.
    public let stream: String
    /// The step that returned the effect.
    public let step: Int
    /// Its place among the effects of that step.
    public let ordinal: Int
    /// Which try this is, from 1 on. A start after a restart is a try as well. Where the process died within moments of the first start,
    /// that one may not have been recorded, and is not counted.
    public let attempt: Int
    /// Whether an earlier process had started it, as far as that was recorded.
    public let isResumed: Bool
    /// How many of its actions are in the journal from earlier tries.
    public let delivered: Int
    /// The time to live by: wait with `try await context.clock.sleep(for:)`, so that a test can turn it.
    public let clock: any Clock<Duration>
    let time: Timestamp
    let seed: Seed
    let memory: StepMemory

    /// When the step that returned the effect was committed.
    public var date: Date { time.date }

    /// What is left of a sequence that gives the same each time: without those of its actions that are in the journal already.
    public func undelivered<Actions: AsyncSequence>(_ actions: Actions) -> AsyncDropFirstSequence<Actions> {
        actions.dropFirst(delivered)
    }

    /// What is left of a sequence that gives the same each time: without those of its actions that are in the journal already.
    public func undelivered<Actions: Sequence>(_ actions: Actions) -> DropFirstSequence<Actions> {
        actions.dropFirst(delivered)
    }

    /// Names this run for the outside world: another for every run, the same for every try of it, also after restarts. Give it to a
    /// service that can tell a repeated request from a new one.
    public var idempotencyKey: String {
        let words = seed.words(.idempotencyKey, ordinal, 0)
        return Digest(high: words.0, low: words.1).description
    }
}
