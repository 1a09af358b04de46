extension Import {
    var notAnExport: JournalError {
        JournalError(
            .notAnExport, number == 0 && bytes == 0 ? "The export is empty." : "This is not an export of a journal.",
            advice: "Import what `journal-replay export` wrote.", file: source)
    }

    func newer(_ message: String) -> JournalError {
        JournalError(.newerSchema, message, advice: "Update this program.", file: source)
    }

    func damaged(_ message: String) -> JournalError {
        JournalError(.damagedExport, message, advice: "No journal was created. Export the journal again.", file: source)
    }
}
