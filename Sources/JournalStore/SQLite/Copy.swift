/// A copy of a journal in one clean file.
enum Copy {
    /// Writes the copy and brings it to the disk. Nothing may stand at `path` but the rest of an earlier attempt.
    ///
    /// VACUUM INTO gives one file without a WAL that keeps `application_id` and `user_version`; it does not sync by itself.
    /// https://www.sqlite.org/lang_vacuum.html#vacuuminto
    static func make(of connection: Connection, at path: String) throws(DatabaseError) {
        Platform.remove(path)
        let vacuum = try connection.prepare("VACUUM INTO ?")
        vacuum.bind(1, path)
        do throws(DatabaseError) {
            try vacuum.run()
        } catch {
            Platform.remove(path)
            throw error
        }
        guard Platform.sync(path) else {
            let code = Platform.lastError
            Platform.remove(path)
            throw DatabaseError(code: code, message: Platform.message(forError: code), during: "syncing \(path)")
        }
    }

    /// Reads the copy from its first page to its last entry; removes it where something is wrong.
    ///
    /// - Parameters:
    ///   - original: what it is a copy of; nil where that is no file.
    ///   - advice: what to do where it does not verify.
    static func verify(
        _ path: String, original: String?,
        advice: String =
            "Run `journal-replay verify` on the journal itself; a damaged one has to be exported or restored."
    ) throws(JournalError) {
        let report = try JournalReader(path: path).verify()
        guard report.isSound else {
            Platform.remove(path)
            throw JournalError(
                .copyNotVerified,
                "The copy does not verify (\(report.problems.first.map(\.description) ?? "unknown")) and was removed.",
                advice: advice, file: original ?? path)
        }
    }
}
