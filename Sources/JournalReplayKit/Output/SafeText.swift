import JournalStore

/// Escapes stored text for a terminal, so that it cannot move the cursor, change a title or reverse the text direction.
enum SafeText {
    /// The text on one line, with each unsafe character escaped as in JSON: `\n`, `\u001b`.
    static func escape(_ text: String) -> String { JSONOutput.safe(text) }
}
