/// A queue's policy and delay, as stored in the journal.
struct QueueRule: Hashable, Sendable {
    let policy: EffectQueuePolicy
    let delay: EffectQueueDelay

    init(_ queue: any EffectQueue) {
        policy = queue.effectQueuePolicy
        delay = queue.effectQueueDelay
    }

    var maxCount: Int { policy.maxCount }

    /// Whether earlier starts and ends decide more than the order: then they must be on the disk before the next start.
    var decides: Bool { if case .runOldest(_, .suspendNew) = policy { delay != .zero } else { true } }
}

extension QueueRule: Codable {
    private enum Key: CodingKey { case policy, maxCount, delay }
    private enum Kind: String, Codable { case runNewest, suspendNew, discardNew }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        let count = try container.decode(Int.self, forKey: .maxCount)
        policy =
            switch try container.decode(Kind.self, forKey: .policy) {
            case .runNewest: .runNewest(maxCount: count)
            case .suspendNew: .runOldest(maxCount: count, .suspendNew)
            case .discardNew: .runOldest(maxCount: count, .discardNew)
            }
        // A file can hold any number; about thirty years are the maximum.
        let range = (try container.decodeIfPresent([Int64].self, forKey: .delay) ?? [])
            .map { min(max($0, 0), 1_000_000_000_000_000) }
        delay = .random(.microseconds(range.min() ?? 0) ... .microseconds(range.max() ?? 0))
    }

    /// `{"delay":[100000,300000],"maxCount":3,"policy":"suspendNew"}`; the delay is a range in microseconds.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try container.encode(maxCount, forKey: .maxCount)
        switch policy {
        case .runNewest: try container.encode(Kind.runNewest, forKey: .policy)
        case .runOldest(_, .suspendNew): try container.encode(Kind.suspendNew, forKey: .policy)
        case .runOldest(_, .discardNew): try container.encode(Kind.discardNew, forKey: .policy)
        }
        if delay != .zero {
            try container.encode(
                [delay.range.lowerBound.inMicroseconds, delay.range.upperBound.inMicroseconds], forKey: .delay)
        }
    }
}
