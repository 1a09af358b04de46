import JournalStore

/// The path to a part of a state: `items.0.price`, `items[0].price`, `users."a.b".age`. An empty path and `.` are the
/// whole.
struct StatePath: Hashable, Sendable, CustomStringConvertible {
    /// The error in a text that is not a path.
    struct Mistake: Error, Hashable {
        var text: String
        var reason: String

        var message: String { "'\(text)' is not a path: \(reason)." }
    }

    private(set) var steps: [String] = []

    init(_ text: String) throws(Mistake) {
        if text == "." { return }
        var rest = text.utf8[...]
        while !rest.isEmpty {
            if !steps.isEmpty, rest.first == UInt8(ascii: ".") { rest.removeFirst() }
            steps.append(try StatePath.step(&rest, of: text))
        }
    }

    private static func step(_ rest: inout Substring.UTF8View, of text: String) throws(Mistake) -> String {
        func wrong(_ why: String) -> Mistake { Mistake(text: text, reason: why) }
        let isBracket = rest.first == UInt8(ascii: "[")
        if isBracket { rest.removeFirst() }
        let step: String
        if rest.first == UInt8(ascii: "\"") {
            guard let text = JSONDocument.takeText(from: &rest) else { throw wrong("a quote is not closed") }
            step = text
        } else {
            let plain = rest.prefix { !".[]".utf8.contains($0) }
            rest = rest.dropFirst(plain.count)
            step = String(Substring(plain))
            guard !step.isEmpty else { throw wrong("a name or a number is missing") }
        }
        if isBracket, rest.popFirst() != UInt8(ascii: "]") { throw wrong("a bracket is not closed") }
        guard rest.isEmpty || ".[".utf8.contains(rest.first ?? 0) else { throw wrong("no dot follows '\(step)'") }
        return step
    }

    /// The part of a state; nil if it does not exist. `count` is the number of elements, unless a member has that name.
    func part(of state: JSON) -> JSON? {
        steps.reduce(Optional(state)) { part, step in part.flatMap { StatePath.part($0, step) } }
    }

    private static func part(_ node: JSON, _ step: String) -> JSON? {
        switch node {
        case .object(let members):
            node[step] ?? (step == "count" ? .number("\(members.count)") : nil)
        case .list(let elements):
            if let index = index(step) {
                elements.indices.contains(index) ? elements[index] : nil
            } else {
                step == "count" ? .number("\(elements.count)") : nil
            }
        default: nil
        }
    }

    /// The index that a step is, in the only way in which one is written: not `+1`, and not `01`.
    private static func index(_ step: String) -> Int? {
        Int(step).flatMap { String($0) == step ? $0 : nil }
    }

    /// What is wrong with a path to a part that does not exist.
    struct Missing: Hashable, Sendable {
        /// A sentence, with what exists instead.
        var message = ""
        /// Whether it suggests a similar name.
        var isSuggestion = false
    }

    /// What is wrong with a path to a part that does not exist.
    func missing(in state: JSON) -> Missing {
        var node = state
        var way: [String] = []
        for step in steps {
            guard let next = StatePath.part(node, step) else {
                let place = way.isEmpty ? "the state" : "'\(StatePath.text(of: way))'"
                switch node {
                case .object(let members):
                    let keys = members.map(\.key)
                    if let near = Suggestion.closest(to: step, among: keys) {
                        return Missing(
                            message: "There is no '\(step)' in \(place). Did you mean '\(near)'?", isSuggestion: true)
                    }
                    let shown = keys.prefix(8).joined(separator: ", ") + (keys.count > 8 ? ", …" : "")
                    return Missing(
                        message: "There is no '\(step)' in \(place), which has \(keys.isEmpty ? "nothing" : shown).")
                case .list(let elements):
                    let count = Quantity.counted(elements.count, "element", "elements")
                    return Missing(message: "There is no '\(step)' in \(place), a list of \(count).")
                default:
                    let advice = way.isEmpty ? " Write '.' for the state itself." : ""
                    return Missing(message: "There is no '\(step)' in \(place), which is \(node.kind).\(advice)")
                }
            }
            way.append(step)
            node = next
        }
        return Missing()
    }

    /// Says how a case of an enum is found. One that can have values is stored as an object with one member: its name.
    func hint(toCompareWith word: String, in state: JSON) -> Missing? {
        guard case .object(let members) = part(of: state), members.count == 1, let member = members.first else {
            return nil
        }
        let place = steps.isEmpty ? "The state" : "'\(self)'"
        return Missing(
            message: "\(place) is an object with the member '\(member.key)', which equals no text. For a case of an "
                + "enum write '\(StatePath.text(of: steps + [word]))'.", isSuggestion: true)
    }

    /// Says that digits without quotes are a number, if the part is a text.
    func hint(
        toCompareWithNumber number: String, by comparison: Condition.Comparison, in state: JSON
    ) -> Missing? {
        guard case .text(let text) = part(of: state) else { return nil }
        let (place, path) = steps.isEmpty ? ("The state", ".") : ("'\(self)'", "\(self)")
        if comparison != .contains, JSON.text(text).order(.number("0")) != nil {
            return Missing(
                message:
                    "\(place) is a time: a number is compared with it as seconds since 2001. Write a time in quotes, "
                    + "such as '\(path) \(comparison.rawValue) \"2026-01-01\"'.",
                isSuggestion: true)
        }
        let reason =
            switch comparison {
            case .equal: "equals no number"
            case .contains: "contains no number"
            default: "is not compared with a number"
            }
        return Missing(
            message: "\(place) is a text, which \(reason): write "
                + "'\(path) \(comparison.rawValue) \(JSON.text(number).json)'.",
            isSuggestion: true)
    }

    /// What to say if the part is a number, and is compared with a text: a number in quotes, or the path to another part.
    func misreading(of text: String, in state: JSON) -> String? {
        guard case .number = part(of: state) else { return nil }
        if case .number = JSON(text) {
            return "'\(self)' is a number, which no text equals: write '\(text)' without quotes."
        }
        guard let other = try? StatePath(text), !other.steps.isEmpty, other.part(of: state) != nil else { return nil }
        return "'\(text)' is a text here, which no number equals: a condition compares a part of the state with a "
            + "value, not with another part. `bisect run` asks a program."
    }

    var description: String { StatePath.text(of: steps) }

    /// Quotes the steps that would be read as something else.
    private static func text(of steps: [String]) -> String {
        steps.map { step in
            let isPlain = !step.isEmpty && !step.utf8.contains { ".[]\"".utf8.contains($0) }
            return isPlain ? step : JSON.text(step).json
        }.joined(separator: ".")
    }
}

extension JSON {
    /// What it is, for an error: not its value, which can be a secret.
    fileprivate var kind: String {
        switch self {
        case .null: "null"
        case .bool: "a Boolean"
        case .number: "a number"
        case .text: "a text"
        case .list: "a list"
        case .object, .raw: "an object"
        }
    }
}
