/// A date as ISO 8601 in UTC, with as many digits as the exact value needs: `2026-11-20T12:00:00.25Z`.
///
/// `docs/decisions/dates.md` says which dates have this form.
package enum ISODate {
    /// The text of a date; nil if it has none: a number is written instead.
    ///
    /// - Parameter date: seconds since 2001.
    static func text(_ date: Double) -> String? {
        // The shortest decimal number that is read as the same value. It has an exponent if it is huge or tiny.
        let digits = date.magnitude.description.split(separator: ".")
        let isNegativeZero = date == 0 && date.sign == .minus
        guard date.isFinite, !isNegativeZero, digits.count == 2, let magnitude = Int64(digits[0]),
            !digits[1].contains("e")
        else {
            return nil
        }
        var (whole, fraction) = (magnitude, digits[1] == "0" ? [] : Array(digits[1].utf8))
        if date < 0 { (whole, fraction) = negated(whole, fraction) }
        let seconds = whole + Timestamp.referenceDate
        let days = Timestamp.floor(seconds, 86_400)
        let (year, month, day) = Timestamp.civil(days)
        guard (1...9999).contains(year) else { return nil }
        let second = seconds - days * 86_400
        var text: [UInt8] = []
        func append(_ value: Int64, _ width: Int) {
            var divisor: Int64 = width == 4 ? 1_000 : 10
            for _ in 0..<width {
                text.append(UInt8(ascii: "0") + UInt8(value / divisor % 10))
                divisor = max(1, divisor / 10)
            }
        }
        append(year, 4)
        for part in [month, day] {
            text.append(UInt8(ascii: "-"))
            append(part, 2)
        }
        for (mark, part) in zip("T::".utf8, [second / 3_600, second / 60 % 60, second % 60]) {
            text.append(mark)
            append(part, 2)
        }
        if !fraction.isEmpty { text += [UInt8(ascii: ".")] + fraction }
        text.append(UInt8(ascii: "Z"))
        return String(decoding: text, as: UTF8.self)
    }

    /// The seconds since 2001 of a text; nil if it is not such a date. An offset such as `+01:00` may replace the `Z`.
    package static func seconds(_ text: String) -> Double? {
        var rest = text.utf8[...]
        func number(_ width: Int) -> Int64? {
            let digits = rest.prefix(width)
            guard digits.count == width, digits.allSatisfy(isDigit) else { return nil }
            rest = rest.dropFirst(width)
            return digits.reduce(0) { $0 * 10 + Int64($1 - UInt8(ascii: "0")) }
        }
        func skip(_ mark: Character) -> Bool {
            guard rest.first == mark.asciiValue else { return false }
            rest.removeFirst()
            return true
        }
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2), skip("T"),
            let days = Timestamp.days(year: year, month: month, day: day), let hour = number(2), hour < 24, skip(":"),
            let minute = number(2), minute < 60, skip(":"), let second = number(2), second < 60
        else { return nil }
        var fraction: [UInt8] = []
        if skip(".") {
            fraction = Array(rest.prefix(while: isDigit))
            guard !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(fraction.count)
        }
        var offset: Int64 = 0
        if !skip("Z") {
            let isBehind = rest.first == UInt8(ascii: "-")
            guard skip("+") || skip("-"), let hours = number(2), hours < 24, skip(":"), let minutes = number(2),
                minutes < 60
            else { return nil }
            offset = (hours * 3_600 + minutes * 60) * (isBehind ? -1 : 1)
        }
        guard rest.isEmpty else { return nil }
        while fraction.last == UInt8(ascii: "0") { fraction.removeLast() }
        let whole =
            days * 86_400 + hour * 3_600 + minute * 60 + second - offset
            - Timestamp.referenceDate
        let (magnitude, digits) = whole < 0 ? negated(whole, fraction) : (whole, fraction)
        // Read as a decimal number, so that the result is the value nearest to it.
        let decimals = String(decoding: digits, as: UTF8.self)
        return Double("\(whole < 0 ? "-" : "")\(magnitude).\(decimals.isEmpty ? "0" : decimals)")
    }

    /// Negates a number that is the sum of a whole number and a fraction of these digits: -1.25 is -2 + 0.75.
    private static func negated(_ whole: Int64, _ fraction: [UInt8]) -> (Int64, [UInt8]) {
        guard let last = fraction.last else { return (-whole, []) }
        // The last digit is not 0, so there is no carry.
        let others = fraction.dropLast().map { UInt8(ascii: "0") + UInt8(ascii: "9") - $0 }
        return (-whole - 1, others + [UInt8(ascii: "0") + UInt8(ascii: "9") + 1 - last])
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
