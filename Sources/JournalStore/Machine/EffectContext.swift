#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Information for the body of an effect about its run.
public struct EffectContext: Sendable {
    /// The stream's name.
    public let stream: String
    /// The step that returned the effect.
    public let step: Int
    /// The effect's index among the effects of that step.
    public let ordinal: Int
    /// The number of this attempt, counted from 1. A start after a restart is an attempt as well. If the process died
    /// moments after the first start, that attempt may not have been recorded and is not counted.
    public let attempt: Int
    /// Whether the run had been started before the stream was opened, as far as that was recorded; or before it ended and
    /// was then retried by an operator or the app. An attempt that follows from its retry policy does not count.
    public let isResumed: Bool
    /// The number of its actions that earlier attempts journaled.
    public let delivered: Int
    /// The clock to wait with: `try await context.clock.sleep(for:)`. A test can control it.
    public let clock: any Clock<Duration>
    let time: Timestamp
    let seed: Seed
    let identity: EffectRun.Identity
    let memory: StepMemory
    let emitter: any OutputEmitter
    /// The calls of its store, for the body of a plain effect.
    var calls: PlainCalls?

    /// When the step that returned the effect was committed.
    public var date: Date { time.date }

    /// The rest of a sequence that is the same at each attempt: without the actions that are already in the journal.
    public func undelivered<Actions: AsyncSequence>(_ actions: Actions) -> AsyncDropFirstSequence<Actions> {
        actions.dropFirst(delivered)
    }

    /// The rest of a sequence that is the same at each attempt: without the actions that are already in the journal.
    public func undelivered<Actions: Sequence>(_ actions: Actions) -> DropFirstSequence<Actions> {
        actions.dropFirst(delivered)
    }

    /// A text that identifies this run to outside services: different for each run, the same for every attempt of it,
    /// across restarts. Pass it to a service that can tell a repeated request from a new one.
    ///
    /// It follows from the entry of the step, the effect's name and its ID. So it stays the same if a new version of
    /// the code returns the effect together with others.
    public var idempotencyKey: String { seed.idempotencyKey(of: identity) }
}
