import JournalStore

// Comparing JSON values, as the operators of a condition do.

extension JSON {
    enum Order { case less, equal, greater }

    /// The order of two numbers, or of two texts; nil for anything else. Two dates are compared as times: as texts, one
    /// without a fraction of a second comes after one that has one.
    func order(_ other: JSON) -> Order? {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            if let order = JSON.order(integers: left, right) { return order }
            if left == right { return .equal }
            // Numbers that are too large for a Double are infinite, and not equal for that reason.
            guard let left = Double(left), let right = Double(right), left.isFinite || left != right else { return nil }
            return JSON.order(left, right)
        case (.text(let left), .text(let right)):
            guard let first = ISODate.seconds(left), let second = ISODate.seconds(right) else {
                return JSON.order(left, right)
            }
            guard first == second else { return JSON.order(first, second) }
            // A Double does not have all digits that a text can have.
            return JSON.order(JSON.fraction(left), JSON.fraction(right))
        default: return nil
        }
    }

    /// Compares integers of any size, digit by digit.
    private static func order(integers left: String, _ right: String) -> Order? {
        func parts(_ text: String) -> (isNegative: Bool, digits: Substring)? {
            let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
            guard digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            return (text.hasPrefix("-") && digits != "0", digits)
        }
        guard let left = parts(left), let right = parts(right) else { return nil }
        guard left.isNegative == right.isNegative else { return left.isNegative ? .less : .greater }
        let order = order(left.digits.count, right.digits.count)
        let bySize = order == .equal ? JSON.order(left.digits, right.digits) : order
        return left.isNegative ? JSON.reversed(bySize) : bySize
    }

    /// The digits of the fraction of a second, without zeros at the end.
    private static func fraction(_ date: String) -> String {
        let digits = date.split(separator: ".").dropFirst().first?.prefix { $0.isNumber } ?? ""
        return String(digits.reversed().drop { $0 == "0" }.reversed())
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
