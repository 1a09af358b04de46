/// A short form of an action: `add item: "Tea"` for `{"add":{"item":"Tea"}}`, `pay` for `{"pay":{}}` and for `"pay"`.
enum ShortAction {
    /// Of a longer action only the name is shown: the rest would not fit the line, and a list has hundreds of lines.
    private static let longest = 4_000

    /// The short form, on one line and escaped for a terminal.
    static func of(_ action: String) -> String {
        guard action.utf8.count <= longest else {
            return SafeText.escape(ActionName.of(action) ?? String(action.prefix(200))) + " …"
        }
        guard let json = StoredJSON.compact(action) else { return SafeText.escape(action) }
        guard let name = ActionName.of(json) else { return json }
        let safe = SafeText.escape(name)
        guard json.hasPrefix("{") else { return safe }
        guard var value = CompactJSON(json[...]).onlyMember?.value else { return json }
        // `Codable` encodes an associated value without a label under this key.
        if let (key, inner) = CompactJSON(value).onlyMember, key == "\"_0\"" { value = inner }
        return value == "{}" ? safe : "\(safe) \(CompactJSON(value).relaxed)"
    }
}

/// JSON without whitespace between tokens, as ``StoredJSON`` writes it.
private struct CompactJSON {
    let text: Substring

    init(_ text: Substring) {
        self.text = text
    }

    /// The key and the value of an object that has one member.
    var onlyMember: (key: Substring, value: Substring)? {
        guard text.first == "{", text.last == "}" else { return nil }
        let members = text.dropFirst().dropLast()
        var colon: Substring.Index?
        var depth = 0
        for index in Self.signs(of: members) {
            switch members.utf8[index] {
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"): depth -= 1
            case UInt8(ascii: ":") where depth == 0: colon = index
            case UInt8(ascii: ",") where depth == 0: return nil
            default: break
            }
        }
        return colon.map { (members[..<$0], members[members.utf8.index(after: $0)...]) }
    }

    /// A more readable form: spaces after commas and colons, keys without quotes, no outer braces.
    var relaxed: String {
        let isObject = text.first == "{" && text != "{}"
        let inner = isObject ? text.dropFirst().dropLast() : text
        var words = ""
        var start = inner.startIndex
        for index in Self.signs(of: inner) where [UInt8(ascii: ":"), UInt8(ascii: ",")].contains(inner.utf8[index]) {
            let next = inner.utf8.index(after: index)
            words += Self.withoutQuotes(inner[start..<index], isKey: inner[index] == ":") + "\(inner[index]) "
            start = next
        }
        return words + inner[start...]
    }

    private static func withoutQuotes(_ text: Substring, isKey: Bool) -> String {
        guard isKey, let quote = text.firstIndex(of: "\"") else { return String(text) }
        let key = text[text.index(after: quote)...].dropLast()
        let isWord = !key.isEmpty && key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        return isWord ? text[..<quote] + String(key) : String(text)
    }

    /// The indices of the bytes outside of strings.
    private static func signs(of text: Substring) -> [Substring.Index] {
        var isText = false
        var isEscaped = false
        return text.utf8.indices.filter { index in
            let byte = text.utf8[index]
            if !isText {
                isText = byte == UInt8(ascii: "\"")
                return !isText
            }
            if byte == UInt8(ascii: "\""), !isEscaped { isText = false }
            isEscaped = byte == UInt8(ascii: "\\") && !isEscaped
            return false
        }
    }
}
