/// What becomes of a running effect when another one starts: the queue that the effects of a ``TransitionTable`` share,
/// unless an effect has a queue of its own.
public struct EffectStrategy: Hashable, Sendable {
    private let rule: StrategyQueue.Rule?

    /// Effects run at the same time: no queue.
    public static let merge = EffectStrategy(rule: nil)
    /// Effects run one after the other, in the order of their steps.
    public static let concat = EffectStrategy(rule: .concat)
    /// A new effect cancels the one that runs. A transition without an effect cancels nothing.
    public static let latest = EffectStrategy(rule: .latest)

    func queue(of owner: String) -> StrategyQueue? {
        rule.map { StrategyQueue(owner: owner, rule: $0) }
    }
}

/// The queue of one table or one feedback.
struct StrategyQueue: EffectQueue {
    enum Rule: String, Codable, Sendable { case concat, latest }

    let owner: String
    let rule: Rule

    var effectQueuePolicy: EffectQueuePolicy {
        switch rule {
        case .concat: .runOldest(maxCount: 1, .suspendNew)
        case .latest: .runNewest(maxCount: 1)
        }
    }
}

extension Effect {
    /// The same effect, in a queue unless it has one.
    func queued(in queue: StrategyQueue?) -> Effect {
        guard let queue else { return self }
        return Effect(
            parts: parts.map { part in
                guard case .run(var run) = part, run.queue == nil else { return part }
                run.queue = queue
                return .run(run)
            })
    }
}
