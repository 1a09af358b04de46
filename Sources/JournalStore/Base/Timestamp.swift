/// A time of the wall clock, in microseconds since 1970 UTC, as stored in the journal.
public struct Timestamp: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Microseconds since 1970-01-01T00:00:00Z.
    public var microseconds: Int64

    /// Creates a time from its microseconds since 1970 UTC.
    public init(microseconds: Int64) {
        self.microseconds = microseconds
    }

    /// The current time of the system's wall clock.
    public static func now() -> Timestamp {
        Timestamp(microseconds: Platform.wallClock())
    }

    /// Whether the left time is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.microseconds < right.microseconds
    }

    /// ISO 8601 in UTC with microseconds, as the journal's views show it.
    public var description: String {
        let seconds = Timestamp.floor(microseconds, 1_000_000)
        let days = Timestamp.floor(seconds, 86_400)
        let (year, month, day) = Timestamp.civil(days)
        let second = seconds - days * 86_400
        func padded(_ value: Int64, _ width: Int) -> String {
            let digits = String(value)
            return String(repeating: "0", count: max(0, width - digits.count)) + digits
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let clock = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return "\(date)T\(clock).\(padded((microseconds % 1_000_000 + 1_000_000) % 1_000_000, 6))Z"
    }

    private static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }

    /// The Gregorian date of a day counted from 1970-01-01. Years are counted from March, so that the leap day is the
    /// last day of its year.
    private static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = floor(shifted, 146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * ofYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * fromMarch + 2) / 5 + 1)
    }
}

extension Timestamp {
    /// The time after a duration, or before it if it is negative. Saturates at the first and last representable time.
    public func advanced(by duration: Duration) -> Timestamp {
        Timestamp(microseconds: microseconds.addingSaturating(duration.inMicroseconds))
    }
}
