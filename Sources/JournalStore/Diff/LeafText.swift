/// Describes a value without parts.
enum LeafText {
    /// - Parameter limit: the maximum number of characters of a string.
    static func text(of value: Any, limit: Int) -> String {
        if let string = string(value) { return QuotedText.quote(string, limit: limit) }
        if let bytes = bytes(value) { return text(of: bytes, type(of: value), from: 0) }
        let text = QuotedText.escape(String(describing: value))
        if LeafRule.isPlain(value) { return text }
        let isCase = Mirror(reflecting: value).displayStyle == .enum && !isDescribed(value)
        return isCase ? ".\(text)" : text
    }

    /// Describes two different values so that both texts show the difference.
    static func texts(of old: Any, _ new: Any, limit: Int) -> (old: String, new: String) {
        if let old = string(old), let new = string(new) { return TextExcerpt.excerpts(of: old, new, limit: limit) }
        if let oldBytes = bytes(old), let newBytes = bytes(new) {
            let first = zip(oldBytes, newBytes).prefix { $0 == $1 }.count
            let start = max(0, first - 8)
            return (text(of: oldBytes, type(of: old), from: start), text(of: newBytes, type(of: new), from: start))
        }
        return (text(of: old, limit: limit), text(of: new, limit: limit))
    }

    /// Whether their full descriptions are equal, and they are the same case if they are cases of an enum.
    static func areAlike(_ old: Any, _ new: Any) -> Bool {
        if let old = bytes(old), let new = bytes(new) { return old == new }
        // A description of the enum's own can be the same for several cases.
        return caseNumber(old) == caseNumber(new) && String(describing: old) == String(describing: new)
    }

    /// The number of an enum's case; nil for another value.
    private static func caseNumber<Value>(_ value: Value) -> Int? { EnumTag<Value>()?.of(value) }

    private static func isDescribed(_ value: Any) -> Bool {
        value is any CustomStringConvertible || value is any CustomDebugStringConvertible
    }

    private static func string(_ value: Any) -> String? {
        switch value {
        case let text as String: text
        case let text as Substring: String(text)
        case let character as Character: String(character)
        default: nil
        }
    }

    /// The bytes of a `Data`, whose own description is only a count.
    private static func bytes(_ value: Any) -> [UInt8]? {
        // A range of byte values is a collection of bytes too, but its description is complete.
        if LeafRule.isPlain(value) || value is any RangeExpression { return nil }
        return (value as? any Collection<UInt8>).map { Array($0) }
    }

    private static func text(of bytes: [UInt8], _ type: Any.Type, from start: Int) -> String {
        let shown = bytes[min(start, bytes.count)...].prefix(32)
        let before = start > 0 ? "…" : ""
        let after = shown.endIndex < bytes.count ? "…" : ""
        let noun = bytes.count == 1 ? "byte" : "bytes"
        return "\(type)(\(bytes.count) \(noun)\(bytes.isEmpty ? "" : ": ")\(before)\(shown.hexadecimal)\(after))"
    }
}
