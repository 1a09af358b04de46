extension Journal {
    /// Creates a journal from what ``JournalReader/export(to:)`` wrote.
    ///
    /// It is the same journal, with the same identity, streams and digest chains. It is verified and synced before it
    /// gets its name: an export in which an entry, a base or a record was changed, or from which a row is missing, is
    /// refused. A damaged snapshot that is no base is left out: its state can be computed again.
    ///
    /// - Parameters:
    ///   - source: the file to read.
    ///   - path: the journal to create; the path must not exist.
    /// - Returns: what was read, without damaged snapshots, which are left out.
    /// - Throws: ``JournalError`` if the file is missing, is not an export, has a newer version, is cut off or was
    ///   changed; if `path` exists; or if the disk is full.
    @discardableResult
    @concurrent
    public static func importing(_ source: String, to path: String) async throws(JournalError) -> TransferReport {
        let bytes = try ByteFile(reading: source)
        do {
            return try Import.makeJournal(at: path, from: source) { try bytes.read() }
        } catch {
            throw error as? JournalError ?? JournalError(.inputOutput, "\(error)", file: source)
        }
    }

    /// Creates a journal from what ``JournalReader/export(_:)`` wrote: see ``importing(_:to:)``.
    ///
    /// - Parameters:
    ///   - path: the journal to create; the path must not exist.
    ///   - read: returns the next piece of the text; nil after the last.
    /// - Returns: what was read.
    /// - Throws: what `read` throws, and ``JournalError`` as ``importing(_:to:)``.
    @discardableResult
    public static func importing(to path: String, _ read: () throws -> [UInt8]?) throws -> TransferReport {
        try Import.makeJournal(at: path, from: nil, read)
    }
}
