extension Import {
    var notAnExport: JournalError {
        JournalError(
            .notAnExport, number == 0 && bytes == 0 ? "There is nothing in it." : "This is no export of a journal.",
            advice: "Give it what `journal-replay export` wrote.", file: source)
    }

    func newer(_ message: String) -> JournalError {
        JournalError(.newerSchema, message, advice: "Update this program.", file: source)
    }

    func damaged(_ message: String) -> JournalError { Import.damaged(message, source) }

    static func damaged(_ message: String, _ source: String?) -> JournalError {
        JournalError(
            .damagedExport, message, advice: "Nothing was made of it. Export the journal again.", file: source)
    }

    /// A name out of a file that may hold anything.
    static func word(_ bytes: [UInt8]) -> String {
        String(String(decoding: bytes, as: UTF8.self).prefix(40))
    }
}
