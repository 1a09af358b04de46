extension JournalReader {
    /// Writes all there is as text, JSON Lines: for other programs, for version control, for another database, and for
    /// ``Journal/importing(_:to:)``, which makes the same journal of it again.
    ///
    /// It can run while an app writes, and is of one moment then. Like a backup it is one long read, during which the WAL grows. A row
    /// is in memory at a time. `docs/decisions/export.md` describes the format.
    ///
    /// - Parameter write: given the text in pieces, in order.
    /// - Returns: what was written.
    /// - Throws: what `write` throws; ``JournalError`` where the journal cannot be read, or an app opened it meanwhile that had not
    ///   before.
    @discardableResult
    public func export(_ write: ([UInt8]) throws -> Void) throws -> TransferReport {
        try readOnce("exporting") { database in try database.export(write) }
    }

    /// Writes all there is as text into one new file: see ``export(_:)``. It is synced before it gets its name.
    ///
    /// - Parameter path: where to; nothing may stand there.
    /// - Returns: what was written.
    /// - Throws: ``JournalError``: something stands there, the disk is full, or the journal cannot be read.
    @discardableResult
    public func export(to path: String) throws(JournalError) -> TransferReport {
        let file = try NewFile(path, isJournal: false)
        do {
            let report = try write(to: file.partial)
            try file.giveName()
            return report
        } catch {
            Platform.remove(file.partial)
            throw error
        }
    }

    private func write(to path: String) throws(JournalError) -> TransferReport {
        let bytes = try ByteFile(creating: path)
        do {
            let report = try export { try bytes.write($0) }
            try bytes.sync()
            return report
        } catch {
            throw error as? JournalError ?? JournalError(.inputOutput, "\(error)", file: path)
        }
    }
}
