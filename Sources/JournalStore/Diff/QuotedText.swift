/// Escapes text as in Swift source, on one line, so that it cannot move the cursor or change the writing direction.
enum QuotedText {
    /// Quotes a text. If it exceeds the limit, an ellipsis follows the closing quotation mark.
    static func quote(_ text: some StringProtocol, limit: Int = .max) -> String {
        let shown = text.prefix(limit)
        return "\"\(escape(shown, quotes: true))\"" + (shown.endIndex < text.endIndex ? "…" : "")
    }

    /// - Parameter quotes: whether quotation marks and backslashes are escaped as well.
    static func escape(_ text: some StringProtocol, quotes: Bool = false) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": escaped += "\\n"
            case "\r": escaped += "\\r"
            case "\t": escaped += "\\t"
            case "\"" where quotes, "\\" where quotes: escaped += "\\\(scalar)"
            case _ where scalar.isUnsafe: escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
