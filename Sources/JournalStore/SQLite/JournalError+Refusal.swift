// The refusals of a schema as errors of the journal.

extension Migrator {
    /// Checks the owner and the version of a file, as far as both are known without its WAL.
    func checkHeader(_ found: SchemaState, file: String) throws(JournalError) {
        do throws(Refusal) {
            try checkOwner(found)
        } catch {
            throw JournalError(error, file: file)
        }
    }

    /// The migrations to apply. Converts a refusal into an error.
    static func pending(
        for found: SchemaState, writing: Bool, file: String
    ) throws(JournalError) -> [Migration] {
        do throws(Refusal) {
            return try Migrator().plan(for: found, writing: writing)
        } catch {
            throw JournalError(error, file: file)
        }
    }
}

extension JournalError {
    init(_ refusal: Migrator.Refusal, file: String) {
        switch refusal {
        case .foreign(let applicationID):
            self.init(
                .notAJournal,
                applicationID == 0
                    ? "This is an SQLite database, but not a journal (its application_id is 0)."
                    : "This database belongs to another application (application_id \(applicationID)).",
                advice: "Check the path; the file was not touched.", file: file)
        case .newer(let found, let known):
            self.init(
                .newerSchema,
                "A newer version of the library wrote this journal: its schema has version \(found), this library "
                    + "knows \(known).",
                advice: "Update this program; the file was not touched.", file: file)
        case .encoded(let encoding):
            self.init(
                .schemaMismatch, "The file is empty, but its texts would have the encoding \(encoding).",
                advice: "A journal has UTF-8: remove the file, so that a new one is made.", file: file)
        case .noVersion(let found):
            self.init(
                .schemaMismatch, "The journal has tables, but its user_version is \(found), which no schema has.",
                advice: "The header of the file was damaged or edited by hand: restore a backup. It was not touched.",
                file: file)
        case .edited(let name):
            self.init(
                .schemaMismatch, "The journal was made with a different text of the migration \(name).",
                advice: "A released migration is never edited: use the library version that made the file.", file: file)
        case .altered(let difference):
            let advice =
                switch difference {
                case .restricting: JournalError.adviceForOwnIndex
                case .unknown(let item):
                    "If it was added by hand, drop the \(item.kind) in a sqlite3 shell. If the file comes from "
                        + "elsewhere, restore a backup. It was not touched."
                case .missing, .changed:
                    "The file was edited by hand or comes from elsewhere: restore a backup. It was not touched."
                }
            self.init(
                .schemaMismatch, "The schema is not that of a journal: \(difference.message).", advice: advice,
                file: file)
        case .missing(let name):
            self.init(
                .schemaMismatch, "The journal does not record the migration \(name), which its version includes.",
                advice: "The file was edited by hand: restore a backup.", file: file)
        }
    }
}
