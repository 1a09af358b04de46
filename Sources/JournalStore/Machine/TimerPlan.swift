/// What becomes of a timer's ticks whose time went by while nothing ran: the process was down, or asleep.
public enum MissedTicks: String, Hashable, Sendable, Codable, CaseIterable {
    /// All of them together are one tick.
    case one
    /// Each is sent, one after the other.
    case all
    /// They are left out.
    case none
}

/// When a timer is due: a rule without a clock.
enum TimerPlan: Hashable, Sendable {
    case after(Duration)
    case at(Timestamp)
    case every(Duration, MissedTicks)

    /// When it is due for the first time.
    ///
    /// - Parameter start: the time of its step.
    func first(after start: Timestamp) -> Timestamp {
        switch self {
        case .after(let duration): start.advanced(by: max(.zero, duration))
        case .at(let time): time
        case .every: start.advanced(by: interval ?? .zero)
        }
    }

    /// What it repeats itself by.
    var interval: Duration? {
        if case .every(let interval, _) = self { max(interval, .milliseconds(1)) } else { nil }
    }

    /// The longest wait, whatever the wall clock says; nil where only that counts.
    var longestWait: Duration? {
        switch self {
        case .after(let duration): max(.zero, duration)
        case .at: nil
        case .every: interval
        }
    }

    /// When a tick that was due comes, seen from an opening: the ones that were missed may be left out.
    func afterOpening(_ due: Timestamp, now: Timestamp) -> Timestamp {
        guard case .every(_, .none) = self, due < now else { return due }
        return onGrid(of: due, notBefore: now)
    }

    /// Whether a tick that is due now is sent, and when the next one is due.
    func tick(_ due: Timestamp, now: Timestamp) -> (isSent: Bool, next: Timestamp?) {
        guard case .every(_, let missed) = self, let interval else { return (true, nil) }
        let following = due.advanced(by: interval)
        // More than one is due.
        guard following <= now else { return (true, following) }
        switch missed {
        case .all: return (true, following)
        case .one: return (true, onGrid(of: due, notBefore: now.advanced(by: .microseconds(1))))
        // One that is due at this moment is not missed.
        case .none: return (false, onGrid(of: due, notBefore: now))
        }
    }

    /// The first moment from `now` on that lies whole intervals after `due`.
    private func onGrid(of due: Timestamp, notBefore now: Timestamp) -> Timestamp {
        let step = max(1, interval?.inMicroseconds ?? 1)
        let passed = max(0, now.microseconds.subtractingSaturating(due.microseconds))
        let count = passed / step + (passed % step > 0 ? 1 : 0)
        let (offset, overflow) = count.multipliedReportingOverflow(by: step)
        return Timestamp(microseconds: due.microseconds.addingSaturating(overflow ? .max : offset))
    }
}

extension TimerPlan: Codable {
    private enum Key: CodingKey { case after, at, every, missed }

    /// What the descriptions of timers stand behind; no type has such a name.
    static let name = "timer"

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Key.self)
        if let duration = try container.decodeIfPresent(Int64.self, forKey: .after) {
            self = .after(.microseconds(duration))
        } else if let time = try container.decodeIfPresent(Int64.self, forKey: .at) {
            self = .at(Timestamp(microseconds: time))
        } else {
            self = .every(
                .microseconds(try container.decode(Int64.self, forKey: .every)),
                try container.decode(MissedTicks.self, forKey: .missed))
        }
    }

    /// `{"after":60000000}`, `{"at":1767225600000000}`, `{"every":1000000,"missed":"one"}`, in microseconds.
    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        switch self {
        case .after(let duration): try container.encode(duration.inMicroseconds, forKey: .after)
        case .at(let time): try container.encode(time.microseconds, forKey: .at)
        case .every(let interval, let missed):
            try container.encode(interval.inMicroseconds, forKey: .every)
            try container.encode(missed, forKey: .missed)
        }
    }
}
