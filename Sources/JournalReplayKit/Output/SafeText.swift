import JournalStore

/// Makes stored text harmless for a terminal: nothing in it moves the cursor, changes a title or turns the writing around.
enum SafeText {
    /// The same text on one line, with each unsafe character written as JSON would: `\n`, `\u001b`.
    static func escape(_ text: String) -> String {
        guard JSONOutput.mayBeUnsafe(text) else { return text }
        return JSONOutput.text { output in
            var text = text
            text.withUTF8 { output.append($0, .terminal, escapesQuotes: false) }
        }
    }
}
