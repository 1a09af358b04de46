extension Journal {
    /// Makes a journal of what ``JournalReader/export(to:)`` wrote.
    ///
    /// It is the same journal: its identity, its streams, their chains of digests. It is verified and synced before it gets its name, so
    /// that an export whose entries were changed makes none. What was changed in a state or in an effect's record is not noticed.
    ///
    /// - Parameters:
    ///   - source: the file to read.
    ///   - path: where the journal is to be; nothing may stand there.
    /// - Returns: what was read.
    /// - Throws: ``JournalError``: the file is missing, no export, of a newer version, cut off or changed; something stands at
    ///   `path`; the disk is full.
    @discardableResult
    @concurrent
    public static func importing(_ source: String, to path: String) async throws(JournalError) -> TransferReport {
        let bytes = try ByteFile(reading: source)
        do {
            return try make(path, from: source) { try bytes.read() }
        } catch {
            throw error as? JournalError ?? JournalError(.inputOutput, "\(error)", file: source)
        }
    }

    /// Makes a journal of what ``JournalReader/export(_:)`` wrote: see ``importing(_:to:)``.
    ///
    /// - Parameters:
    ///   - path: where the journal is to be; nothing may stand there.
    ///   - read: gives the next piece of the text; nil behind the last.
    /// - Returns: what was read.
    /// - Throws: what `read` throws, and ``JournalError`` as there.
    @discardableResult
    public static func importing(to path: String, _ read: () throws -> [UInt8]?) throws -> TransferReport {
        try make(path, from: nil, read)
    }

    private static func make(
        _ path: String, from source: String?, _ read: () throws -> [UInt8]?
    ) throws -> TransferReport {
        let file = try NewFile(path)
        do {
            let report = try fill(file.partial, from: source, read)
            guard Platform.sync(file.partial) else {
                let code = Platform.lastError
                throw JournalError(
                    .inputOutput, "It could not be synced (\(Platform.message(forError: code))).", file: file.target,
                    underlying: code)
            }
            try Copy.verify(
                file.partial, original: source,
                advice: "The export was changed, or its journal is damaged: verify that, and export it again.")
            try file.giveName()
            return report
        } catch {
            Platform.remove(file.partial)
            throw error
        }
    }

    private static func fill(
        _ partial: String, from source: String?, _ read: () throws -> [UInt8]?
    ) throws -> TransferReport {
        let database = try JournalError.at(partial, "making the journal") { () throws(DatabaseError) in
            try JournalDatabase.openDraft(partial)
        }
        var rows = Import(into: database, from: source)
        while let piece = try read() { try rows.take(piece) }
        return try rows.end()
    }
}
