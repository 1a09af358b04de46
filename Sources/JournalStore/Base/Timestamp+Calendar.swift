// The Gregorian calendar, which is also used for the years before its introduction.

extension Timestamp {
    /// Seconds from 1970 to 2001-01-01, from which Foundation's `Date` counts.
    package static let referenceDate: Int64 = 978_307_200

    /// The Gregorian date of a day counted from 1970-01-01. Years are counted from March, so that the leap day is the
    /// last day of its year.
    static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = floor(shifted, 146_097)
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1_460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let fromMarch = (5 * ofYear + 2) / 153
        let month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, ofYear - (153 * fromMarch + 2) / 5 + 1)
    }

    /// The number of days from 1970-01-01 to a date of the Gregorian calendar; nil if the date does not exist.
    package static func days(year: Int64, month: Int64, day: Int64) -> Int64? {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths: [Int64] = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...12).contains(month), (1...lengths[Int(month) - 1]).contains(day), year >= 1 else { return nil }
        let before = year - 1
        let toYear = before * 365 + before / 4 - before / 100 + before / 400
        let toMonth = lengths.prefix(Int(month) - 1).reduce(0, +)
        // 719,162 days lie between 0001-01-01 and 1970-01-01.
        return toYear + toMonth + day - 1 - 719_162
    }

    package static func floor(_ value: Int64, _ divisor: Int64) -> Int64 {
        value / divisor - (value % divisor < 0 ? 1 : 0)
    }
}
