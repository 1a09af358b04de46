/// A queue's policy and delay, as they are kept in the journal.
struct QueueRule: Hashable, Sendable, Codable {
    private enum Kind: String, Codable { case runNewest, suspendNew, discardNew }

    private let kind: Kind
    let maxCount: Int
    private let delayFrom: Double
    private let delayTo: Double

    init(_ queue: any EffectQueue) {
        let policy = queue.effectQueuePolicy
        maxCount = policy.maxCount
        kind =
            switch policy {
            case .runNewest: .runNewest
            case .runOldest(_, .suspendNew): .suspendNew
            case .runOldest(_, .discardNew): .discardNew
            }
        delayFrom = queue.effectQueueDelay.range.lowerBound.inSeconds
        delayTo = queue.effectQueueDelay.range.upperBound.inSeconds
    }

    var policy: EffectQueuePolicy {
        switch kind {
        case .runNewest: .runNewest(maxCount: maxCount)
        case .suspendNew: .runOldest(maxCount: maxCount, .suspendNew)
        case .discardNew: .runOldest(maxCount: maxCount, .discardNew)
        }
    }

    var delay: EffectQueueDelay { .random(delayFrom...max(delayFrom, delayTo)) }

    /// Whether what ended or started decides more than the order: then it must be on the disk before the next start.
    var decides: Bool { kind != .suspendNew || delayTo > 0 }
}
