/// Shortens two different texts to the part that differs.
enum TextExcerpt {
    /// The number of characters shown before and after the difference.
    private static let context = 16

    /// Both texts in quotation marks: the whole text if it is short and a single line, else the difference with some
    /// context from its lines. An ellipsis outside the quotation marks marks omitted text.
    static func excerpts(of old: String, _ new: String, limit: Int) -> (old: String, new: String) {
        let old = Array(old)
        let new = Array(new)
        let isLong = max(old.count, new.count) > limit
        guard isLong || old.contains(where: \.isNewline) || new.contains(where: \.isNewline) else {
            return (QuotedText.quote(String(old)), QuotedText.quote(String(new)))
        }
        let prefix = zip(old, new).prefix { $0 == $1 }.count
        let rest = min(old.count, new.count) - prefix
        let suffix = zip(old.reversed(), new.reversed()).prefix(rest).prefix { $0 == $1 }.count

        // Both texts are cut at the same prefix and suffix.
        let start = prefix - old[..<prefix].suffix(context).reversed().prefix { !$0.isNewline }.count
        let after = old[(old.count - suffix)...].prefix(context).prefix { !$0.isNewline }.count
        return (
            excerpt(old, from: start, to: old.count - suffix + after, limit),
            excerpt(new, from: start, to: new.count - suffix + after, limit)
        )
    }

    private static func excerpt(_ text: [Character], from start: Int, to end: Int, _ limit: Int) -> String {
        let quoted = QuotedText.quote(String(text[start..<end]), limit: limit)
        let before = start > 0 ? "…" : ""
        let after = end < text.count && !quoted.hasSuffix("…") ? "…" : ""
        return before + quoted + after
    }
}
