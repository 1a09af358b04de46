/// What becomes of running effects when the next transition has effects too. The effects of a ``TransitionTable`` share
/// a queue with this rule, unless an effect has a queue of its own. Timers are in no queue, and the effects of one
/// transition run at the same time.
public struct EffectStrategy: Hashable, Sendable {
    private let rule: StrategyQueue.Rule?

    /// Effects run at the same time: no queue.
    public static let merge = EffectStrategy(rule: nil)
    /// The effects of one transition run when those of the transition before have ended.
    public static let concat = EffectStrategy(rule: .concat)
    /// The effects of a new transition cancel those that run. A transition without an effect cancels nothing.
    public static let latest = EffectStrategy(rule: .latest)

    func queue(of owner: String) -> StrategyQueue? {
        rule.map { StrategyQueue(owner: owner, rule: $0) }
    }
}

/// The queue of one table or one feedback. The effects of one row run together.
///
/// It is the same queue if the code changes the strategy: its newest instance says the rule.
struct StrategyQueue: StepQueue {
    enum Rule: String, Codable, Sendable { case concat, latest }

    let owner: String
    let rule: Rule

    var countsSteps: Bool { true }

    var effectQueuePolicy: EffectQueuePolicy {
        switch rule {
        case .concat: .runOldest(maxCount: 1, .suspendNew)
        case .latest: .runNewest(maxCount: 1)
        }
    }

    static func == (left: StrategyQueue, right: StrategyQueue) -> Bool { left.owner == right.owner }

    func hash(into hasher: inout Hasher) { hasher.combine(owner) }
}

extension Effect {
    /// The same effect, in a queue unless it has one. A timer only waits, so it is in no queue.
    func queued(in queue: StrategyQueue?) -> Effect {
        guard let queue else { return self }
        return Effect(
            parts: parts.map { part in
                guard case .run(var run) = part, run.queue == nil else { return part }
                if case .timer = run.work { return part }
                run.queue = queue
                return .run(run)
            })
    }
}
