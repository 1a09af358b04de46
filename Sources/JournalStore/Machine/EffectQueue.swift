/// A queue of effects: how many run at once, and what happens to one too many.
///
/// Equality names the queue: effects whose queues are equal share one. The newest instance's policy and delay count.
/// Queues belong to one stream.
///
/// ```swift
/// struct Downloads: EffectQueue {
///     var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 3, .suspendNew) }
/// }
/// ```
public protocol EffectQueue: Codable, Hashable, Sendable {
    /// How many run at once, and what happens to one too many.
    var effectQueuePolicy: EffectQueuePolicy { get }
    /// The least time between two starts.
    var effectQueueDelay: EffectQueueDelay { get }
}

extension EffectQueue {
    /// No delay.
    public var effectQueueDelay: EffectQueueDelay { .zero }
}

/// How many effects of a queue run at once, and what happens to one too many.
public enum EffectQueuePolicy: Hashable, Sendable {
    /// Runs so many of the newest; the oldest is cancelled for a new one.
    case runNewest(maxCount: Int)
    /// Runs so many of the oldest; a new one waits or is discarded.
    case runOldest(maxCount: Int, OverflowPolicy)

    /// What happens to an effect that finds its queue full.
    public enum OverflowPolicy: Hashable, Sendable {
        /// It waits, first in first out.
        case suspendNew
        /// It is never run.
        case discardNew
    }

    /// How many run at once. Less than one is refused: such an effect fails.
    public var maxCount: Int {
        switch self {
        case .runNewest(let count), .runOldest(let count, _): count
        }
    }
}

/// The least time between two starts in a queue. The first starts at once.
public struct EffectQueueDelay: Hashable, Sendable {
    /// From where to where it is drawn.
    public let range: ClosedRange<Duration>

    private init(_ lower: Duration, _ upper: Duration) {
        let lower = max(.zero, lower)
        range = lower...max(lower, upper)
    }

    /// No delay.
    public static let zero = EffectQueueDelay(.zero, .zero)

    /// Always the same.
    public static func constant(_ duration: Duration) -> EffectQueueDelay {
        EffectQueueDelay(duration, duration)
    }

    /// Always the same, in seconds.
    public static func constant(_ seconds: Double) -> EffectQueueDelay { .constant(.clamped(seconds: seconds)) }

    /// Drawn once for each effect, from the step's own random numbers, so that a restart finds the same.
    public static func random(_ range: ClosedRange<Duration>) -> EffectQueueDelay {
        EffectQueueDelay(range.lowerBound, range.upperBound)
    }

    /// The same in seconds.
    public static func random(_ seconds: ClosedRange<Double>) -> EffectQueueDelay {
        EffectQueueDelay(.clamped(seconds: seconds.lowerBound), .clamped(seconds: seconds.upperBound))
    }

    /// The delay that a random number stands for.
    func drawn(_ random: UInt64) -> Duration {
        let width = (range.upperBound - range.lowerBound).inMicroseconds
        // In whole microseconds, as it is recorded: a restart waits for the same moment.
        return range.lowerBound + .microseconds(Int64(Double(width) * (Double(random >> 11) * 0x1p-53)))
    }
}

/// A queue that runs the newest effect and cancels the one before.
public protocol Newest1EffectQueue: EffectQueue {}
/// A queue that runs one effect and never those that come meanwhile.
public protocol Oldest1DiscardNewEffectQueue: EffectQueue {}
/// A queue that runs one effect after the other.
public protocol Oldest1SuspendNewEffectQueue: EffectQueue {}

extension Newest1EffectQueue {
    /// The newest one.
    public var effectQueuePolicy: EffectQueuePolicy { .runNewest(maxCount: 1) }
}

extension Oldest1DiscardNewEffectQueue {
    /// The oldest one; new ones are discarded.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .discardNew) }
}

extension Oldest1SuspendNewEffectQueue {
    /// The oldest one; new ones wait.
    public var effectQueuePolicy: EffectQueuePolicy { .runOldest(maxCount: 1, .suspendNew) }
}
