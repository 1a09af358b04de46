@testable import JournalStore

extension Journal {
    /// Lets writes of rows fail in this journal, for a reason that has nothing to do with the disk's room. The trigger
    /// belongs to the journal's own connection and is not in the file: one that another program adds stops the journal.
    ///
    /// - Parameter what: which writes, such as "INSERT ON effect_run".
    func refuse(_ what: String) async throws {
        try await runInWriter("CREATE TEMP TRIGGER refuse BEFORE \(what) BEGIN SELECT RAISE(ABORT, 'refused'); END")
    }

    func refuseNothing() async throws { try await runInWriter("DROP TRIGGER temp.refuse") }

    private func runInWriter(_ sql: String) async throws {
        try await writer.exclusively { state throws(JournalError) in
            let database = try state.usable()
            try JournalError.at(nil, "changing what is refused") { () throws(DatabaseError) in
                try database.connection.execute(sql)
            }
        }
    }
}
