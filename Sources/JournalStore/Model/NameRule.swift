/// The rule for the names of new streams and machines, and for new dispatch IDs. What a journal has is read and used,
/// whatever its name is.
enum NameRule {
    /// - Parameters:
    ///   - what: what is named, as the subject of a sentence.
    ///   - advice: what to do about an empty name.
    /// - Throws: ``JournalError`` if the name is empty, or has the character U+0000.
    static func check(
        _ name: String, of what: String, advice: String, file: String?, stream: String?
    ) throws(JournalError) {
        if name.isEmpty {
            throw JournalError(.badArgument, "\(what) is empty.", advice: advice, file: file, stream: stream)
        }
        // https://www.sqlite.org/nulinstr.html
        guard name.utf8.contains(0) else { return }
        throw JournalError(
            .badArgument, "\(what) has the character U+0000.",
            advice: "Leave it out: no shell can pass it to a program, and SQLite's text functions end a text there.",
            file: file, stream: stream)
    }

    /// Callers that have no ID and pass an empty one would all repeat the first one's dispatch.
    static func check(dispatchID id: String, file: String?, stream: String?) throws(JournalError) {
        try check(id, of: "The dispatch ID", advice: "Pass the caller's own ID, or nil.", file: file, stream: stream)
    }
}
