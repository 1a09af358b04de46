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
            let (sign, digits) = (value < 0 ? "-" : "", String(value.magnitude))
            return sign + String(repeating: "0", count: max(0, width - sign.count - digits.count)) + digits
        }
        let date = "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))"
        let clock = "\(padded(second / 3_600, 2)):\(padded(second / 60 % 60, 2)):\(padded(second % 60, 2))"
        return "\(date)T\(clock).\(padded((microseconds % 1_000_000 + 1_000_000) % 1_000_000, 6))Z"
    }
}

extension Timestamp: Codable {
    /// Decodes a number of microseconds.
    public init(from decoder: any Decoder) throws {
        self.init(microseconds: try decoder.singleValueContainer().decode(Int64.self))
    }

    /// Encodes the number of microseconds.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(microseconds)
    }
}

extension Timestamp {
    /// The time after a duration, or before it if it is negative. Saturates at the first and last representable time.
    public func advanced(by duration: Duration) -> Timestamp {
        Timestamp(microseconds: microseconds.addingSaturating(duration.inMicroseconds))
    }
}
