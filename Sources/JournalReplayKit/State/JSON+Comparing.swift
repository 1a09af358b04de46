import JournalStore

// Comparing JSON values, as the operators of a condition do.

extension JSON {
    enum Order { case less, equal, greater }

    /// The order of two numbers, of two texts, or of a number and a time: a date without a text of its own is stored as the
    /// number of seconds since 2001. Nil for anything else.
    func order(_ other: JSON) -> Order? {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            if let order = JSON.order(decimals: left, right) { return order }
            if left == right { return .equal }
            // Numbers that are too large for a Double are infinite, and not equal for that reason.
            guard let left = Double(left), let right = Double(right), left.isFinite || left != right else { return nil }
            return JSON.order(left, right)
        case (.text(let left), .text(let right)):
            return JSON.order(times: left, right) ?? JSON.order(left, right)
        case (.number(let left), .text(let right)):
            guard let left = Double(left), let right = JSON.seconds(right) else { return nil }
            return JSON.order(left, right)
        case (.text, .number): return other.order(self).map(JSON.reversed)
        default: return nil
        }
    }

    /// Compares two times. As texts, a date without a fraction of a second comes after one that has one.
    private static func order(times left: String, _ right: String) -> Order? {
        guard let first = time(left), let second = time(right) else { return nil }
        guard first.second == second.second else { return order(first.second, second.second) }
        return order(first.fraction, second.fraction)
    }

    /// Compares numbers without an exponent, of any length, digit by digit; nil if one has an exponent.
    private static func order(decimals left: String, _ right: String) -> Order? {
        func parts(_ text: String) -> (isNegative: Bool, whole: Substring, fraction: Substring)? {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard digits.allSatisfy({ $0.isASCII && $0.isNumber || $0 == "." }) else { return nil }
            let whole = digits.prefix { $0 != "." }
            let fraction = withoutZeros(digits.dropFirst(whole.count + 1))
            return (text.hasPrefix("-") && !(whole == "0" && fraction.isEmpty), whole, fraction)
        }
        guard let left = parts(left), let right = parts(right) else { return nil }
        guard left.isNegative == right.isNegative else { return left.isNegative ? .less : .greater }
        var found = order(left.whole.count, right.whole.count)
        if found == .equal { found = order(left.whole, right.whole) }
        if found == .equal { found = order(left.fraction, right.fraction) }
        return left.isNegative ? reversed(found) : found
    }

    /// The digits of the fraction of a second, without zeros at the end.
    private static func fraction(_ date: String) -> Substring {
        let parts = date.split(maxSplits: 1) { $0 == "." || $0 == "," }
        return withoutZeros(parts.dropFirst().first?.prefix { $0.isNumber } ?? "")
    }

    private static func withoutZeros(_ digits: Substring) -> Substring {
        var digits = digits
        while digits.last == "0" { digits.removeLast() }
        return digits
    }

    /// A time in each form that options of this tool take: the second, and the digits of its fraction.
    private static func time(_ text: String) -> (second: Int64, fraction: Substring)? {
        guard (10...64).contains(text.utf8.count), let time = Timestamp(iso: text) else { return nil }
        return (Timestamp.floor(time.microseconds, 1_000_000), fraction(text))
    }

    /// The seconds since 2001, as a date is stored that has no ISO 8601 form.
    private static func seconds(_ text: String) -> Double? {
        guard let time = time(text) else { return nil }
        return Double(time.second - Timestamp.referenceDate) + (Double("0.\(time.fraction)0") ?? 0)
    }

    private static func reversed(_ order: Order) -> Order {
        switch order {
        case .less: .greater
        case .equal: .equal
        case .greater: .less
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Order {
        left < right ? .less : left > right ? .greater : .equal
    }

    /// By value: 1 and 1.0 are equal, and so are objects whose keys have another order.
    func isEqual(to other: JSON) -> Bool {
        switch (self, other) {
        case (.object(let left), .object(let right)):
            left.count == right.count && left.allSatisfy { other[$0.key]?.isEqual(to: $0.value) ?? false }
        case (.list(let left), .list(let right)):
            left.count == right.count && zip(left, right).allSatisfy { $0.isEqual(to: $1) }
        default: order(other).map { $0 == .equal } ?? (self == other)
        }
    }

    func contains(_ other: JSON) -> Bool {
        switch self {
        case .list(let elements): return elements.contains { $0.isEqual(to: other) }
        case .object:
            guard case .text(let key) = other else { return false }
            return self[key] != nil
        case .text(let text):
            guard case .text(let part) = other else { return false }
            return TextSearch.contains(text, part)
        default: return false
        }
    }
}
