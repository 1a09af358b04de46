extension Import {
    /// Creates a journal under a temporary name, verifies it, and gives it its name.
    static func makeJournal(
        at path: String, from source: String?, _ read: () throws -> [UInt8]?
    ) throws -> TransferReport {
        let file = try NewFile(path)
        do {
            var report = try fill(file.partial, from: source, read)
            guard Platform.sync(file.partial) else {
                throw JournalError.system(.inputOutput, "The journal could not be synced", file: file.target)
            }
            let omitted = try Copy.verify(
                file.partial, original: source,
                advice: "The export was changed, or its journal is damaged: verify the journal and export it again.")
            report.omit(snapshots: omitted)
            try file.giveName()
            return report
        } catch {
            Copy.remove(file.partial)
            if let known = error as? JournalError { throw file.named(known) }
            throw error
        }
    }

    private static func fill(
        _ partial: String, from source: String?, _ read: () throws -> [UInt8]?
    ) throws -> TransferReport {
        // The journal is as private as its export. SQLite fills an empty file.
        _ = try ByteFile(creating: partial, like: source)
        let database = try JournalError.at(partial, "creating the journal") { () throws(DatabaseError) in
            try JournalDatabase.openDraft(partial)
        }
        var rows = Import(into: database, at: partial, from: source)
        while let piece = try read() { try rows.take(piece) }
        return try rows.end()
    }
}
