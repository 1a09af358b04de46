/// The file that somebody goes on reading. Another file under its name is another journal.
package struct WatchedFile: Sendable {
    private let reader: JournalReader
    private let identity: FileIdentity?
    /// A new file can get the number of one that was deleted.
    private let journal: [UInt8]?

    package init(_ reader: JournalReader) {
        self.reader = reader
        identity = WatchedFile.identity(of: reader)
        journal = try? reader.journalID()
    }

    private static func identity(of reader: JournalReader) -> FileIdentity? {
        reader.file.flatMap { Platform.status(ofPath: $0)?.identity }
    }

    /// - Throws: ``JournalError`` if the file was replaced, moved or deleted. A connection that is open would go on reading it.
    package func check() throws(JournalError) {
        guard let now = WatchedFile.identity(of: reader) else {
            // Otherwise it is not known, and reading it tells.
            guard reader.file != nil, Platform.kind(ofError: Platform.lastError) == .missing else { return }
            throw fenced("The file was moved or deleted.")
        }
        if now == identity {
            guard let journal, let found = try reader.journalID(), found != journal else { return }
        }
        throw fenced("Another file has this name now.")
    }

    private func fenced(_ message: String) -> JournalError {
        JournalError(.fenced, message, advice: "End this reader, and start it again.", file: reader.file)
    }
}
