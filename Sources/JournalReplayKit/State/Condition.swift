/// A condition on a state: `balance < 0`, `status == "open" && !closed`,
/// `labels contains "new" || items[0].price > 10`.
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

    indirect enum Expression: Hashable, Sendable {
        /// A path alone, which holds if the part exists and is neither null nor false.
        case exists(StatePath)
        case compare(StatePath, Comparison, JSON)
        case not(Expression)
        // Lists: a condition can have more terms than the stack has room for.
        case and([Expression])
        case or([Expression])
    }

    let text: String
    private let expression: Expression

    /// - Throws: ``Mistake`` if the text is not a condition.
    init(_ text: String) throws(Mistake) {
        self.text = text
        expression = try ConditionParser.parse(text)
    }

    func holds(in state: JSON) -> Bool { expression.holds(in: state) }

    /// What is wrong with the condition: the state has no such part, or a word is compared with an object, or a number
    /// with a text.
    func hint(in state: JSON) -> StatePath.Missing? {
        if let path = expression.paths.first(where: { $0.part(of: state) == nil }) { return path.missing(in: state) }
        return expression.words.lazy.compactMap { path, word in path.hint(toCompareWith: word, in: state) }.first
            ?? expression.numbers.lazy.compactMap { path, comparison, number in
                path.hint(toCompareWithNumber: number, by: comparison, in: state)
            }.first
            ?? misreading(in: state).map { StatePath.Missing(message: $0) }
    }

    /// What to say if a number is compared with a text that is the path to another part, which is read as a text.
    func misreading(in state: JSON) -> String? {
        expression.texts.lazy.compactMap { path, text in path.misreading(of: text, in: state) }.first
    }
}

extension Condition.Expression {
    fileprivate var paths: [StatePath] {
        switch self {
        case .exists(let path), .compare(let path, _, _): [path]
        case .not(let inner): inner.paths
        case .and(let parts), .or(let parts): parts.flatMap(\.paths)
        }
    }

    /// The paths that must equal a text, and this text.
    fileprivate var words: [(StatePath, String)] {
        switch self {
        case .compare(let path, .equal, .text(let word)): [(path, word)]
        case .exists, .compare, .not: []
        case .and(let parts), .or(let parts): parts.flatMap(\.words)
        }
    }

    /// The paths that are compared with a number, and this number as it is written.
    fileprivate var numbers: [(StatePath, Condition.Comparison, String)] {
        switch self {
        case .compare(_, .unequal, _): []
        case .compare(let path, let comparison, .number(let number)): [(path, comparison, number)]
        case .exists, .compare, .not: []
        case .and(let parts), .or(let parts): parts.flatMap(\.numbers)
        }
    }

    /// The paths that are compared with a text, and this text.
    fileprivate var texts: [(StatePath, String)] {
        switch self {
        case .compare(let path, _, .text(let text)): [(path, text)]
        case .exists, .compare: []
        case .not(let inner): inner.texts
        case .and(let parts), .or(let parts): parts.flatMap(\.texts)
        }
    }

    fileprivate func holds(in state: JSON) -> Bool {
        switch self {
        case .exists(let path):
            let part = path.part(of: state)
            return part != nil && part != .null && part != .bool(false)
        case .compare(let path, let comparison, let value):
            // A missing part equals null, and is neither less nor greater than any value.
            return comparison.holds(path.part(of: state) ?? .null, value)
        case .not(let inner): return !inner.holds(in: state)
        case .and(let parts): return parts.allSatisfy { $0.holds(in: state) }
        case .or(let parts): return parts.contains { $0.holds(in: state) }
        }
    }
}

extension Condition.Comparison {
    fileprivate func holds(_ found: JSON, _ value: JSON) -> Bool {
        switch self {
        case .equal: found.isEqual(to: value)
        case .unequal: !found.isEqual(to: value)
        case .less: found.order(value) == .less
        case .greater: found.order(value) == .greater
        case .atMost: found.order(value).map { $0 != .greater } ?? false
        case .atLeast: found.order(value).map { $0 != .less } ?? false
        case .contains: found.contains(value)
        }
    }
}

extension Condition {
    /// The language of conditions, for the help of the commands that take one.
    static let language = """
        A condition compares a part of the state with a value: balance < 0, status == "open", items[0].price >= 9.5, \
        labels contains "new". A dot is the whole state: . > 3. Operators: ==, !=, <, <=, >, >=, contains. A list \
        contains its elements, an object its keys, a text its parts; not what is deeper inside. A path alone holds if \
        the part exists and is not null or false. A value is JSON; a single word needs no quotes, but digits without \
        quotes are a number, which equals no text: postcode == "8005". Only times are compared with numbers, as \
        seconds since 2001. Conditions are combined with &&, ||, ! and \
        parentheses.
        """

    /// A condition from the command line.
    static func parse(_ text: String) throws(UsageError) -> Condition {
        do throws(Mistake) { return try Condition(text) } catch {
            var usage = UsageError(error.message)
            usage.picture = error.picture
            throw usage
        }
    }

    /// The error in a text that is not a condition.
    struct Mistake: Error, Hashable {
        var text: String
        /// What is wrong, as the end of a sentence.
        var reason: String
        /// The number of characters before the place of the error.
        var offset: Int

        var message: String {
            "'\(text)' is not a condition: \(reason), at character \(offset + 1). "
                + "Examples: 'balance < 0', 'status == \"open\" && !closed'."
        }

        /// The text, and a caret below the place of the error.
        var picture: [String] {
            let before = DisplayWidth.of(SafeText.escape(String(text.prefix(offset))))
            return ["  " + SafeText.escape(text), "  " + String(repeating: " ", count: before) + "^"]
        }
    }
}
