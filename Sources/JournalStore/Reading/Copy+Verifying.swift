extension Copy {
    /// Verifies the whole copy; deletes it if anything is wrong.
    ///
    /// - Parameters:
    ///   - original: the file it is a copy of; nil if that is not a file.
    ///   - advice: what to do if the verification fails.
    static func verify(
        _ path: String, original: String?,
        advice: String =
            "Run `journal-replay verify` on the journal itself. If it is damaged, restore a backup."
    ) throws(JournalError) {
        let report = try JournalReader(path: path).verify()
        guard report.isSound else {
            Platform.remove(path)
            throw JournalError(
                .copyNotVerified,
                "The copy is not sound (\(report.problems.first.map(\.description) ?? "unknown")) and was removed.",
                advice: advice, file: original ?? path)
        }
    }
}
