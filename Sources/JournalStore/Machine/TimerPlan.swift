/// What happens to the ticks of a timer that were missed: no process ran, the computer slept, or the process was so busy
/// that the next tick was due as well. While the stream is open, or closed by a running host, a tick that is late by less
/// than the interval is not missed.
public enum MissedTicks: String, Hashable, Sendable, Codable, CaseIterable {
    /// All missed ticks are sent as one.
    case one
    /// Each missed tick is sent, one after the other.
    case all
    /// Missed ticks are not sent.
    case none
}

/// When a timer is due. Pure: the caller passes the time.
enum TimerPlan: Hashable, Sendable {
    case after(Duration)
    case at(Timestamp)
    case every(Duration, MissedTicks)

    /// When the timer is due for the first time.
    ///
    /// - Parameter start: the time of the step that returned the timer.
    func first(after start: Timestamp) -> Timestamp {
        switch self {
        case .after(let duration): start.advanced(by: max(.zero, duration))
        case .at(let time): time
        case .every: start.advanced(by: interval ?? .zero)
        }
    }

    /// When the next tick is due of a timer of which it is only known how many ticks it has sent.
    ///
    /// - Parameter start: the time of the step that returned the timer.
    func next(after start: Timestamp, delivered: Int) -> Timestamp {
        let (passed, overflow) = (interval?.inMicroseconds ?? 0).multipliedReportingOverflow(by: Int64(delivered))
        return first(after: start).advanced(by: .microseconds(overflow ? .max : passed))
    }

    /// The time between two ticks; nil if the timer sends only once.
    var interval: Duration? {
        if case .every(let interval, _) = self { max(interval, .milliseconds(1)) } else { nil }
    }

    /// The maximum wait, even if the wall clock is set back; nil if the timer waits for a date.
    var longestWait: Duration? {
        switch self {
        case .after(let duration): max(.zero, duration)
        case .at: nil
        case .every: interval
        }
    }

    /// Whether the end of a wait does not mean that the timer is due: it waits for a date, or for longer than a wait can
    /// last.
    var waitsForClock: Bool { longestWait.map { $0 > .longestWait } ?? true }

    /// When a tick was due of a repeated timer whose wait is over: if the wall clock was set meanwhile, it is due by the
    /// new time. Then the ticks between the two times are not missed, because the timer has waited for none of them.
    ///
    /// - Parameter late: how long ago the wait was over, by a clock that nobody sets.
    func due(_ due: Timestamp, late: Duration, at now: Timestamp) -> Timestamp {
        guard let interval else { return due }
        let actual = now.advanced(by: .zero - late)
        let difference = actual.microseconds.subtractingSaturating(due.microseconds)
        // Not what keeps a clock right, or the ticks would drift.
        let tolerance = min(max(.seconds(1), interval / 1_000), interval / 2).inMicroseconds
        return (-tolerance...tolerance).contains(difference) ? due : actual
    }

    /// When a timer is due after an opening: with `.none`, the ticks that were missed meanwhile are left out.
    ///
    /// - Parameter upSince: when this process began to look after the stream: a tick that came due since then was not
    ///   missed.
    func afterOpening(_ due: Timestamp, now: Timestamp, upSince: Timestamp? = nil) -> Timestamp {
        guard case .every(_, .none) = self, due < now, due < upSince ?? now else { return due }
        return onGrid(of: due, notBefore: now)
    }

    /// Whether a tick that is due now is sent, and when the next one is due.
    func tick(_ due: Timestamp, now: Timestamp) -> (isSent: Bool, next: Timestamp?) {
        guard case .every(_, let missed) = self, let interval else { return (true, nil) }
        let following = due.advanced(by: interval)
        // Is the next one due as well?
        guard following <= now else { return (true, following) }
        switch missed {
        case .all: return (true, following)
        case .one: return (true, onGrid(of: due, notBefore: now.advanced(by: .microseconds(1))))
        // A tick that is due exactly now is not missed.
        case .none: return (false, onGrid(of: due, notBefore: now))
        }
    }

    /// The first time from `now` on that is a whole number of intervals after `due`.
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

    /// The key under which timers are encoded. No type has this name.
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
