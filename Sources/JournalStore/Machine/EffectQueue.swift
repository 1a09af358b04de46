/// A queue of effects: how many run at once, and what happens to one more.
///
/// Equality identifies a queue: effects with equal queues share one, with the policy and delay of the newest instance,
/// be it an effect's or that of an `updateQueue`. To change the maximum of a queue, leave it out of `==` and
/// `hash(into:)`. A restart changes neither which effects share a queue nor its policy and delay. Queues belong to one
/// stream. A queue is forgotten when no effect of it is left and the delay after its last start is over.
///
/// The record of a step has the text of its queues, and `verify` compares it. Sets and dictionaries in it are sorted, as
/// in an ``EffectID``.
///
/// ```swift
/// struct Downloads: EffectQueue {
///     var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 3, .suspendNew) }
/// }
/// ```
public protocol EffectQueue: Codable, Hashable, Sendable {
    /// How many effects run at once, and what happens to one more.
    var effectQueuePolicy: EffectQueuePolicy { get }
    /// The minimum time between two starts.
    var effectQueueDelay: EffectQueueDelay { get }
}

extension EffectQueue {
    /// No delay.
    public var effectQueueDelay: EffectQueueDelay { .zero }
}

/// A queue that can count the effects of a step as one: they run together, and only those of another step wait or are
/// cancelled.
protocol StepQueue: EffectQueue {
    var countsSteps: Bool { get }
}

/// How many effects of a queue run at once, and what happens to one more.
public enum EffectQueuePolicy: Hashable, Sendable {
    /// Runs up to this many of the newest effects; a new one cancels the oldest.
    case runNewest(maxCount: Int)
    /// Runs up to this many of the oldest effects; a new one waits or is discarded.
    case runOldest(maxCount: Int, OverflowPolicy)

    /// What happens to an effect whose queue is full.
    public enum OverflowPolicy: Hashable, Sendable {
        /// It waits, first in first out. If 100,000 wait already, it fails.
        case suspendNew
        /// It never runs.
        case discardNew
    }

    /// How many effects run at once. A value below one is invalid: effects with such a queue fail.
    public var maxCount: Int {
        switch self {
        case .runNewest(let count), .runOldest(let count, _): count
        }
    }

    /// Whether any effect can run.
    var isValid: Bool { maxCount > 0 }
}

/// The minimum time between two starts in a queue. The first effect of a queue starts at once. So does the first one
/// after a queue without a delay has got a delay. A body that a restart runs again starts at once, and does not count
/// as a start in its queue.
public struct EffectQueueDelay: Hashable, Sendable {
    /// The range that the delay is drawn from.
    public let range: ClosedRange<Duration>

    private init(_ lower: Duration, _ upper: Duration) {
        let lower = min(max(.zero, lower), .longestWait)
        range = lower...min(max(lower, upper), .longestWait)
    }

    /// No delay.
    public static let zero = EffectQueueDelay(.zero, .zero)

    /// A constant delay.
    public static func constant(_ duration: Duration) -> EffectQueueDelay {
        EffectQueueDelay(duration, duration)
    }

    /// A constant delay, in seconds.
    public static func constant(_ seconds: Double) -> EffectQueueDelay { .constant(.clamped(seconds: seconds)) }

    /// A random delay, drawn once for each effect from the step's random numbers, so that a restart draws the same.
    public static func random(_ range: ClosedRange<Duration>) -> EffectQueueDelay {
        EffectQueueDelay(range.lowerBound, range.upperBound)
    }

    /// A random delay, in seconds.
    public static func random(_ seconds: ClosedRange<Double>) -> EffectQueueDelay {
        EffectQueueDelay(.clamped(seconds: seconds.lowerBound), .clamped(seconds: seconds.upperBound))
    }

    /// The delay that a random number selects.
    func drawn(_ random: UInt64) -> Duration {
        let width = (range.upperBound - range.lowerBound).inMicroseconds
        // In whole microseconds, as recorded, so that a restart waits until the same time.
        return range.lowerBound + .microseconds(Int64(Double(width) * random.unitFraction))
    }
}

/// A queue that runs the newest effect and cancels the one before.
public protocol Newest1EffectQueue: EffectQueue {}
/// A queue that runs one effect and discards new ones meanwhile.
public protocol Oldest1DiscardNewEffectQueue: EffectQueue {}
/// A queue that runs one effect at a time, in order.
public protocol Oldest1SuspendNewEffectQueue: EffectQueue {}

extension Newest1EffectQueue {
    /// Runs the newest effect.
    public var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: 1) }
}

extension Oldest1DiscardNewEffectQueue {
    /// Runs the oldest effect and discards new ones.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .discardNew) }
}

extension Oldest1SuspendNewEffectQueue {
    /// Runs the oldest effect; new ones wait.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
}
