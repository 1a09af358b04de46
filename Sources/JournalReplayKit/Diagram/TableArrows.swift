import JournalStore

/// The arrows of a transition table, read from the Mermaid text that its `diagram(.mermaid)` returns.
///
/// A table's states and inputs are Swift descriptions, those of a journal are names of cases: only the names are
/// compared.
struct TableArrows {
    struct Arrow: Hashable {
        /// Several, if the row has a list.
        var from: [String]
        var to: [String]
        var input: [String]
        /// The whole label, with guards.
        var label: String

        func covers(_ edge: TransitionTally.Edge) -> Bool {
            Arrow.stands(from, for: edge.from) && Arrow.stands(to, for: edge.to)
                && Arrow.stands(input, for: edge.action)
        }

        /// Whether a name is that of a node, or of a pattern that can match it: `any`, or a predicate or a function in
        /// brackets.
        private static func stands(_ names: [String], for node: String) -> Bool {
            names.contains { $0 == node || $0 == "any" || $0.hasPrefix("[") }
        }
    }

    private(set) var arrows: [Arrow] = []

    /// Nil if the text has no arrow.
    init?(mermaid text: String) {
        var names: [Substring: String] = [:]
        for line in text.split(whereSeparator: \.isNewline) {
            let line = line.drop { $0 == " " || $0 == "\t" }
            if line.hasPrefix("state \""), let start = line.firstIndex(of: "\""), let end = line.lastIndex(of: "\""),
                start < end
            {
                let alias = line[line.index(after: end)...].split(separator: " ").last ?? ""
                names[alias] = TableArrows.plain(line[line.index(after: start)..<end])
            } else if let arrow = line.firstRange(of: " --> ") {
                let rest = line[arrow.upperBound...]
                let colon = rest.firstRange(of: ": ")
                let (from, to) = (line[..<arrow.lowerBound], rest[..<(colon?.lowerBound ?? rest.endIndex)])
                let label = TableArrows.plain(rest[(colon?.upperBound ?? rest.endIndex)...])
                arrows.append(
                    Arrow(
                        from: TableArrows.names(in: names[from] ?? String(from)),
                        to: TableArrows.names(in: names[to] ?? String(to)), input: TableArrows.names(in: label),
                        label: label))
            }
        }
        guard !arrows.isEmpty else { return nil }
    }

    /// The names in `loading(id: 7), failed [again]`: without payloads and guards.
    private static func names(in text: String) -> [String] {
        var (names, depth) = ([""], 0)
        var (isQuoted, isEscaped) = (false, false)
        for character in text {
            if isQuoted {
                // Text of a payload, which can have any character.
                if character == "\"", !isEscaped { isQuoted = false }
                isEscaped = character == "\\" && !isEscaped
                continue
            }
            switch character {
            case "\"" where depth > 0: isQuoted = true
            // A guard: nothing but guards follows it. At the beginning it is the name itself.
            case "[" where depth == 0 && names.last?.last == " ":
                names[names.count - 1].removeLast()
                return names.map { String($0.drop { $0 == " " }) }
            case "(": depth += 1
            case ")": depth -= 1
            case "," where depth == 0: names.append("")
            default: if depth == 0 { names[names.count - 1].append(character) }
            }
        }
        return names.map { String($0.drop { $0 == " " }) }
    }

    /// Replaces Mermaid's entities: `#58;` is a colon.
    private static func plain(_ text: Substring) -> String {
        var plain = ""
        var rest = text
        while let mark = rest.firstIndex(of: "#") {
            plain += rest[..<mark]
            let digits = rest[rest.index(after: mark)...].prefix { $0.isNumber }
            guard let end = rest[digits.endIndex...].first, end == ";",
                let scalar = UInt32(digits).flatMap(Unicode.Scalar.init)
            else {
                plain += "#"
                rest = rest[rest.index(after: mark)...]
                continue
            }
            plain.unicodeScalars.append(scalar)
            rest = rest[rest.index(after: digits.endIndex)...]
        }
        return plain + rest
    }
}
