/// Writes text as in Swift's source, on one line, so that nothing in it moves a cursor or turns the writing around.
enum QuotedText {
    /// In quotation marks. What is beyond the limit is an ellipsis behind them, where it cannot be taken for the text.
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
            case _ where isUnsafe(scalar): escaped += "\\u{\(String(scalar.value, radix: 16))}"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    /// Controls, and what reorders or breaks a line without being seen: https://trojansource.codes
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }
}
