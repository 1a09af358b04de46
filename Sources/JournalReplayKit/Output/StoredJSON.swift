import JournalStore

/// Stored text that should be JSON, and may be anything: a hand or a bug can have written it.
///
/// No value is decoded: numbers and texts come out as they went in. Only what is unsafe on a terminal is escaped, which
/// can only be in texts, where its escape means the same.
enum StoredJSON {
    /// The same JSON on one line without blanks, safe for a terminal; nil if the text is not JSON.
    static func compact(_ text: String) -> String? {
        JSONDocument.read(text) { JSONLayout.text(of: $0, 0, .compact) }
    }

    /// JSON as it is; as a text what should be JSON and is not.
    static func orText(_ text: String?) -> JSON {
        guard let text else { return .null }
        return compact(text).map { .raw($0) } ?? .text(text)
    }

    /// The same JSON for a person, safe for a terminal; nil if the text is not JSON.
    ///
    /// What fits into the width is on one line, anything else has a line for each member. The whole is always spread over
    /// lines, so that one state looks like the next. Texts are not broken: a line can be longer than the width.
    static func lines(_ text: String, width: Int) -> [String]? {
        // In the compact text, the unsafe characters have the width of their escapes.
        compact(text).flatMap { compact in
            JSONDocument.read(compact) { document in
                JSONLayout.text(of: document, 0, .lines(width: width)).split(separator: "\n").map(String.init)
            }
        }
    }
}
