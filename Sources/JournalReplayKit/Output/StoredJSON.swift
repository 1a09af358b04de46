import JournalStore

/// Reads stored text that should be JSON but can be anything, because of a manual edit or a bug.
///
/// Validates it by RFC 8259 and removes the whitespace. Nothing is decoded: numbers and strings stay as they are. Only
/// unsafe characters are escaped: they can only occur inside strings, where their escapes mean the same.
enum StoredJSON {
    /// The JSON on one line and escaped for a terminal; nil if the text is not JSON.
    static func compact(_ text: String) -> String? {
        JSONDocument.read(text) { JSONLayout.text(of: $0, 0, .compact) }
    }

    /// The text as JSON; if it is not JSON, the text as a JSON string.
    static func orText(_ text: String?) -> JSON {
        guard let text else { return .null }
        return compact(text).map { .raw($0) } ?? .text(text)
    }

    /// The JSON formatted for people and escaped for a terminal; nil if the text is not JSON.
    ///
    /// A value that fits the width stays on one line, any other has one member per line. The outermost value is always
    /// broken up, so that all states look alike. Strings are not broken: a line can be longer than the width.
    static func lines(_ text: String, width: Int) -> [String]? {
        // Formats the compact text, because its unsafe characters already have the width of their escapes.
        compact(text).flatMap { compact in
            JSONDocument.read(compact) { document in
                JSONLayout.text(of: document, 0, .lines(width: width)).split(separator: "\n").map(String.init)
            }
        }
    }
}
