/// A condition on a state: `balance < 0`, `status == "open"`, `labels contains "new"`, `receipt`.
struct Condition: Hashable, Sendable {
    enum Comparison: String, Hashable, Sendable, CaseIterable {
        case equal = "=="
        case unequal = "!="
        case atMost = "<="
        case atLeast = ">="
        case less = "<"
        case greater = ">"
        case contains
    }

    /// The error in a text that is not a condition.
    struct Mistake: Error, Hashable {
        var message: String
    }

    let text: String
    private let path: StatePath
    /// nil for a path alone, which holds if the part exists and is neither null nor false.
    private let comparison: Comparison?
    private let value: JSON

    init(_ text: String) throws(Mistake) {
        self.text = text
        let (left, comparison, right) = Condition.split(text)
        func wrong(_ why: String) -> Mistake {
            Mistake(message: "'\(text)' is not a condition: \(why). Examples: 'balance < 0', 'status == \"open\"'.")
        }
        guard !left.isEmpty else { throw wrong("a path is missing") }
        guard comparison != nil || !left.contains(" ") else {
            throw wrong("it has no ==, !=, <, <=, >, >= or contains")
        }
        do throws(StatePath.Mistake) { path = try StatePath(left) } catch { throw wrong(error.message) }
        self.comparison = comparison
        guard comparison == nil || !right.isEmpty else { throw wrong("a value is missing") }
        // A word without quotes is a string: status == open.
        value = JSON(right) ?? .text(right)
    }

    /// Splits a condition at its first operator outside of quotes.
    private static func split(_ text: String) -> (left: String, Comparison?, right: String) {
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            guard !isQuoted else { continue }
            for comparison in Comparison.allCases where text[index...].hasPrefix(comparison.word) {
                let right = text[index...].dropFirst(comparison.word.count)
                return (trimmed(text[..<index]), comparison, trimmed(right))
            }
            // Accept "=" for "==", because many people type it.
            if text[index] == "=" {
                return (trimmed(text[..<index]), .equal, trimmed(text[index...].dropFirst()))
            }
        }
        return (trimmed(text[...]), nil, "")
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }

    /// The error in the path, if the state has no such part.
    func hint(in state: JSON) -> String? {
        path.part(of: state) == nil ? path.missing(in: state) : nil
    }

    func holds(in state: JSON) -> Bool {
        let part = path.part(of: state)
        guard let comparison else { return part != nil && part != .null && part != .bool(false) }
        // A missing part equals null, and is neither less nor greater than any value.
        let found = part ?? .null
        switch comparison {
        case .equal: return found.isEqual(to: value)
        case .unequal: return !found.isEqual(to: value)
        case .less: return found.order(value) == .less
        case .greater: return found.order(value) == .greater
        case .atMost: return found.order(value).map { $0 != .greater } ?? false
        case .atLeast: return found.order(value).map { $0 != .less } ?? false
        case .contains: return found.contains(value)
        }
    }
}

extension Condition.Comparison {
    /// The operator as written in a condition; `contains` needs spaces around it.
    fileprivate var word: String { self == .contains ? " contains " : rawValue }
}

extension JSON {
    enum Order { case less, equal, greater }

    /// The order of two numbers, or of two texts; nil for anything else.
    func order(_ other: JSON) -> Order? {
        switch (self, other) {
        case (.number(let left), .number(let right)):
            if let order = JSON.order(integers: left, right) { return order }
            guard let left = Double(left), let right = Double(right) else { return nil }
            return JSON.order(left, right)
        case (.text(let left), .text(let right)): return JSON.order(left, right)
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
            return text.contains(part)
        default: return false
        }
    }
}
