/// A queue's policy and delay, as stored in the journal.
struct QueueRule: Hashable, Sendable {
    let policy: EffectQueuePolicy
    let delay: EffectQueueDelay
    /// Whether the effects of a step count as one.
    let countsSteps: Bool

    init(_ queue: any EffectQueue) {
        policy = queue.effectQueuePolicy
        delay = queue.effectQueueDelay
        countsSteps = (queue as? any StepQueue)?.countsSteps ?? false
    }

    /// A rule without a delay.
    init(policy: EffectQueuePolicy) {
        (self.policy, delay, countsSteps) = (policy, .zero, false)
    }

    var maxCount: Int { policy.maxCount }

    /// Whether a new run ends an older one.
    var evicts: Bool { if case .runNewest = policy { true } else { false } }

    /// Whether earlier starts and ends decide if and when a run starts, and not only the order. Then they must be on
    /// the disk before the next start.
    var decides: Bool { if case .runOldest(_, .suspendNew) = policy { delay != .zero } else { true } }
}

extension QueueRule: Codable {
    fileprivate enum Key: CodingKey { case policy, maxCount, countsSteps, delay, since }
    private enum Kind: String, Codable { case runNewest, suspendNew, discardNew }

    init(from decoder: any Decoder) throws {
        try self.init(from: decoder.container(keyedBy: Key.self))
    }

    fileprivate init(from container: KeyedDecodingContainer<Key>) throws {
        let count = try container.decode(Int.self, forKey: .maxCount)
        policy =
            switch try container.decode(Kind.self, forKey: .policy) {
            case .runNewest: .runNewest(maxCount: count)
            case .suspendNew: .runOldest(maxCount: count, .suspendNew)
            case .discardNew: .runOldest(maxCount: count, .discardNew)
            }
        countsSteps = try container.decodeIfPresent(Bool.self, forKey: .countsSteps) ?? false
        // A file can hold any number: the delay brings it into its limits.
        let range = try container.decodeIfPresent([Int64].self, forKey: .delay) ?? []
        delay = .random(.microseconds(range.min() ?? 0) ... .microseconds(range.max() ?? 0))
    }

    /// `{"delay":[100000,300000],"maxCount":3,"policy":"suspendNew"}`; the delay is a range in microseconds.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        try encode(to: &container)
    }

    fileprivate func encode(to container: inout KeyedEncodingContainer<Key>) throws {
        try container.encode(maxCount, forKey: .maxCount)
        switch policy {
        case .runNewest: try container.encode(Kind.runNewest, forKey: .policy)
        case .runOldest(_, .suspendNew): try container.encode(Kind.suspendNew, forKey: .policy)
        case .runOldest(_, .discardNew): try container.encode(Kind.discardNew, forKey: .policy)
        }
        if countsSteps { try container.encode(true, forKey: .countsSteps) }
        if delay != .zero {
            try container.encode(
                [delay.range.lowerBound.inMicroseconds, delay.range.upperBound.inMicroseconds], forKey: .delay)
        }
    }
}

/// What is stored of a queue.
struct QueueRecord: Hashable, Sendable {
    /// The rule of the newest instance.
    var rule: QueueRule
    /// The place among the effects of the stream from which on each instance has had this rule. Older effects had
    /// another one, or an update has confirmed this one.
    var since: RunKey
    /// When the queue last started a run, if it has a delay.
    var lastStart: Moment?
}

extension QueueRecord: Codable {
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: QueueRule.Key.self)
        let place = try container.decodeIfPresent([Int].self, forKey: .since) ?? []
        self.init(
            rule: try QueueRule(from: container),
            since: RunKey(step: place.first ?? 0, ordinal: place.count > 1 ? place[1] : 0))
    }

    /// `{"maxCount":3,"policy":"suspendNew","since":[17,0]}`: the rule, and the step and the ordinal that brought it.
    /// The last start is not part of this text.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: QueueRule.Key.self)
        try rule.encode(to: &container)
        try container.encode([since.step, since.ordinal], forKey: .since)
    }
}
