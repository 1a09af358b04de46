extension JournalReader {
    /// Writes the whole journal as text, JSON Lines: for other programs, for version control, for another database, and
    /// for ``Journal/importing(_:to:)``, which creates the same journal from it.
    ///
    /// Damaged rows that can be read are exported as they are, and an import refuses them: ``verify()`` finds them.
    ///
    /// It can run while an app writes, and exports the journal as of one moment. Like a backup it is one long read,
    /// during which the WAL grows. One row is in memory at a time. `docs/decisions/export.md` describes the format.
    ///
    /// It blocks the calling thread until it is done: in `async` code, call it from a thread of your own.
    ///
    /// - Parameter write: called with the text in pieces, in order.
    /// - Returns: what was written.
    /// - Throws: what `write` throws; ``JournalError`` if the journal cannot be read, or if no app had it open and one
    ///   opens it during the export.
    @discardableResult
    public func export(_ write: ([UInt8]) throws -> Void) throws -> TransferReport {
        try readOnce("exporting") { database in try database.export(write) }
    }

    /// Writes the whole journal as text to a new file: see ``export(_:)``. The file is synced before it gets its name.
    ///
    /// It blocks the calling thread until it is done: in `async` code, call it from a thread of your own.
    ///
    /// - Parameter path: the file to create; the path must not exist.
    /// - Returns: what was written.
    /// - Throws: ``JournalError`` if the path exists, the disk is full, or the journal cannot be read.
    @discardableResult
    public func export(to path: String) throws(JournalError) -> TransferReport {
        let file = try NewFile(path, isJournal: false)
        do throws(JournalError) {
            let report = try write(to: file.partial)
            try file.giveName()
            return report
        } catch {
            Platform.remove(file.partial)
            throw file.named(error)
        }
    }

    private func write(to path: String) throws(JournalError) -> TransferReport {
        let bytes = try ByteFile(creating: path, like: file)
        do {
            let report = try export { try bytes.write($0) }
            try bytes.sync()
            return report
        } catch {
            throw error as? JournalError ?? JournalError(.inputOutput, "\(error)", file: path)
        }
    }
}
