import JournalStore

/// Formats numbers for people.
enum Quantity {
    /// `1,234,567`
    static func grouped(_ number: some BinaryInteger) -> String {
        var text = String(number.magnitude)
        var index = text.count - 3
        while index > 0 {
            text.insert(",", at: text.index(text.startIndex, offsetBy: index))
            index -= 3
        }
        return (number < 0 ? "-" : "") + text
    }

    /// `3 entries`, `1 entry`
    static func counted(_ number: Int, _ one: String, _ many: String) -> String {
        grouped(number) + " " + (number == 1 ? one : many)
    }

    /// `4.1 MB (4,120,032 bytes)`
    static func bytes(_ count: Int64) -> String {
        let exact = grouped(count) + (count == 1 ? " byte" : " bytes")
        let units = ["KB", "MB", "GB", "TB", "PB"]
        var tenths = count
        var unit = -1
        while tenths >= (unit < 0 ? 1_024 : 10_240), unit < units.count - 1 {
            tenths = unit < 0 ? tenths / 1_024 * 10 + tenths % 1_024 * 10 / 1_024 : tenths / 1_024
            unit += 1
        }
        return unit < 0 ? exact : "\(tenths / 10).\(tenths % 10) \(units[unit]) (\(exact))"
    }

    /// `45 s`, `12 min`, `5 h`, `3 days`: how long ago.
    static func age(since start: Timestamp, now: Timestamp = .now()) -> String {
        // A file can contain any time, so the difference can overflow.
        let (passed, overflow) = now.microseconds.subtractingReportingOverflow(start.microseconds)
        let seconds = overflow ? .max : max(0, passed / 1_000_000)
        return switch seconds {
        case ..<120: "\(seconds) s"
        case ..<7_200: "\(seconds / 60) min"
        case ..<172_800: "\(seconds / 3_600) h"
        default: "\(seconds / 86_400) days"
        }
    }
}
