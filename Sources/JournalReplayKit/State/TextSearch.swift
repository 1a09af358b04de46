/// Whether a text contains another one, for `log --grep`, the search of `walk`, and conditions.
enum TextSearch {
    /// Compares bytes, as grep does: a hundred times faster than comparing characters. Then, if the part is not ASCII, it
    /// compares characters: a letter with an accent can be stored as one scalar or as two.
    static func contains(_ text: String, _ part: String) -> Bool {
        if containsBytes(text, part) { return true }
        return !part.utf8.allSatisfy { $0 < 0x80 } && text.contains(part)
    }

    private static func containsBytes(_ text: String, _ part: String) -> Bool {
        var (text, part) = (text, part)
        return text.withUTF8 { text in part.withUTF8 { part in System.contains(text, part) } }
    }
}
