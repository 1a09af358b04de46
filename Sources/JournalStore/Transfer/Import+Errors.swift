extension Import {
    var notAnExport: JournalError {
        JournalError(
            .notAnExport, number == 0 && bytes == 0 ? "There is nothing in it." : "This is no export of a journal.",
            advice: "Give it what `journal-replay export` wrote.", file: source)
    }

    func newer(_ message: String) -> JournalError {
        JournalError(.newerSchema, message, advice: "Update this program.", file: source)
    }

    func damaged(_ message: String) -> JournalError {
        JournalError(
            .damagedExport, message, advice: "Nothing was made of it. Export the journal again.", file: source)
    }
}
