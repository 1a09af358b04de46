import JournalStore

/// Parses a condition. `||` binds less tightly than `&&`, that less than a comparison. `!` negates a path or what is in
/// parentheses: `!a == 3` is rejected, because it is read in two ways.
struct ConditionParser {
    private let text: String
    /// Scalars, because a quote is one also if a combining character follows it.
    private var rest: Substring.UnicodeScalarView
    /// The number of parentheses and `!` around the rest.
    private var depth = 0

    /// More are not useful, and would exhaust the stack.
    private static let maximumDepth = 100

    private init(_ text: String) {
        self.text = text
        rest = Substring(text).unicodeScalars
    }

    static func parse(_ text: String) throws(Condition.Mistake) -> Condition.Expression {
        var parser = ConditionParser(text)
        let found = try parser.alternatives()
        parser.skipSpaces()
        guard parser.rest.isEmpty else {
            throw parser.mistake(
                parser.rest.first == ")"
                    ? "this parenthesis was not opened" : "an operator such as == or && is expected")
        }
        return found
    }

    // MARK: Expressions

    private mutating func alternatives() throws(Condition.Mistake) -> Condition.Expression {
        let first = try conjunction()
        var found = [first]
        while take("||") { found.append(try conjunction()) }
        return found.count == 1 ? first : .or(found)
    }

    private mutating func conjunction() throws(Condition.Mistake) -> Condition.Expression {
        let first = try term()
        var found = [first]
        while take("&&") { found.append(try term()) }
        return found.count == 1 ? first : .and(found)
    }

    private mutating func term() throws(Condition.Mistake) -> Condition.Expression {
        if take("!") {
            skipSpaces()
            guard rest.first == "(" || rest.first == "!" else {
                let path = try path()
                skipSpaces()
                guard try comparison() == nil else { throw mistake("it is unclear what ! negates, write !(…)") }
                return .not(.exists(path))
            }
            return .not(try nested { parser throws(Condition.Mistake) in try parser.term() })
        }
        guard take("(") else { return try condition() }
        let found = try nested { parser throws(Condition.Mistake) in try parser.alternatives() }
        guard take(")") else {
            throw mistake(rest.isEmpty ? "a parenthesis is not closed" : "&&, || or ) is expected")
        }
        return found
    }

    private mutating func nested(
        _ parse: (inout Self) throws(Condition.Mistake) -> Condition.Expression
    ) throws(Condition.Mistake) -> Condition.Expression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.maximumDepth else { throw mistake("more than \(Self.maximumDepth) are nested") }
        return try parse(&self)
    }

    /// A path, and if an operator follows, a value.
    private mutating func condition() throws(Condition.Mistake) -> Condition.Expression {
        skipSpaces()
        let path = try path()
        skipSpaces()
        guard let comparison = try comparison() else { return .exists(path) }
        skipSpaces()
        return .compare(path, comparison, try value())
    }

    // MARK: Words

    private mutating func path() throws(Condition.Mistake) -> StatePath {
        let start = self
        let word = try word(ends: "=!<>&|()")
        guard !word.isEmpty else { throw start.mistake("a path is expected") }
        try start.checkQuote(of: word)
        do throws(StatePath.Mistake) { return try StatePath(word) } catch { throw start.mistake(error.reason) }
    }

    private mutating func comparison() throws(Condition.Mistake) -> Condition.Comparison? {
        for comparison in Condition.Comparison.allCases {
            let name = comparison.rawValue.unicodeScalars
            guard rest.starts(with: name) else { continue }
            let after = rest.dropFirst(name.count)
            // "containsOld" would be a word.
            if comparison == .contains, let next = after.first, !ConditionParser.ends(next, "\"[{(") { continue }
            // "===" and "!==" of other languages.
            if comparison != .contains, after.first == "=" {
                throw mistake("this operator is written \(comparison.rawValue)")
            }
            rest = after
            return comparison
        }
        let start = self
        guard take("=") else { return nil }
        guard let next = rest.first, next == ">" || next == "<" else {
            throw start.mistake("this operator is written ==")
        }
        throw start.mistake("this operator is written \(next)=")
    }

    private mutating func value() throws(Condition.Mistake) -> JSON {
        let start = self
        let word = try word(ends: "&|()")
        guard !word.isEmpty else { throw start.mistake("a value is expected") }
        // A word without quotes is a string: status == open.
        if let value = JSON(word) { return value }
        try start.checkQuote(of: word)
        // As a text it would be compared in another way than what was meant.
        guard !Self.isLikeNumber(word) else {
            throw start.mistake("a number is written as in JSON, such as 0.5 or 1000; a text is written in quotes")
        }
        guard let first = word.unicodeScalars.first, !"\"[{".unicodeScalars.contains(first) else {
            throw start.mistake("this value is not JSON")
        }
        return .text(word)
    }

    /// Whether it is a number in another form than that of JSON, such as `010`, `.5`, `1_000` or `0x1F`. Not a date, a
    /// version or an address.
    private static func isLikeNumber(_ word: String) -> Bool {
        var digits = Substring(word.lowercased())
        if let first = digits.first, first == "+" || first == "-" { digits.removeFirst() }
        if digits.hasPrefix("0x"), digits.count > 2 { return digits.dropFirst(2).allSatisfy(\.isHexDigit) }
        if digits.hasPrefix(".") {
            digits.removeFirst()
        } else if digits.count(where: { $0 == "." }) > 1 {
            return false
        }
        guard let first = digits.first, first.isASCII, first.isNumber else { return false }
        return digits.allSatisfy { $0.isASCII && ($0.isNumber || "._,e".contains($0)) }
    }

    /// Refuses a word that begins with a single quote: it would be a part of the word, which no state has.
    private func checkQuote(of word: String) throws(Condition.Mistake) {
        if word.unicodeScalars.first == "'" { throw mistake("quotes are double: \"…\"") }
    }

    /// The text up to whitespace, or one of the characters in `ends`, that is neither in quotes nor in brackets.
    private mutating func word(ends: String) throws(Condition.Mistake) -> String {
        var word = ""
        var open: [(bracket: Unicode.Scalar, place: Self)] = []
        while let next = rest.first, !open.isEmpty || !ConditionParser.ends(next, ends) {
            let place = self
            switch next {
            case "\"":
                guard let text = takeQuoted() else { throw mistake("a quote is not closed") }
                word += text
                continue
            case "[", "{": open.append((next, place))
            case "]", "}":
                guard let last = open.popLast(), (last.bracket == "[") == (next == "]") else {
                    throw mistake("this bracket was not opened")
                }
            default: break
            }
            word.unicodeScalars.append(next)
            rest = rest.dropFirst()
        }
        if let last = open.last { throw last.place.mistake("this bracket is not closed") }
        return word
    }

    private static func ends(_ scalar: Unicode.Scalar, _ ends: String) -> Bool {
        scalar.properties.isWhitespace || ends.unicodeScalars.contains(scalar)
    }

    /// The text up to the closing quote, with the quotes; nil if there is none.
    private mutating func takeQuoted() -> String? {
        var isEscaped = false
        for index in rest.indices.dropFirst() {
            if isEscaped {
                isEscaped = false
            } else if rest[index] == "\\" {
                isEscaped = true
            } else if rest[index] == "\"" {
                defer { rest = rest[rest.index(after: index)...] }
                return String(rest[...index])
            }
        }
        return nil
    }

    private mutating func take(_ word: String) -> Bool {
        skipSpaces()
        guard rest.starts(with: word.unicodeScalars) else { return false }
        rest = rest.dropFirst(word.unicodeScalars.count)
        return true
    }

    private mutating func skipSpaces() {
        rest = rest.drop(while: \.properties.isWhitespace)
    }

    private func mistake(_ reason: String) -> Condition.Mistake {
        let before = String(text.unicodeScalars.dropLast(rest.count))
        return Condition.Mistake(text: text, reason: reason, offset: before.count)
    }
}
