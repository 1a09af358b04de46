import JournalStore

/// The file that a server shows. Another file under its name is another journal: nothing is read from it, and nothing
/// is done to it.
struct ServedFile: Sendable {
    private let reader: JournalReader
    private let identity: FileIdentity?
    /// A new file can get the number of one that was deleted.
    private let journal: [UInt8]?

    init(_ reader: JournalReader) {
        self.reader = reader
        identity = ServedFile.identity(of: reader)
        journal = try? reader.journalID()
    }

    private static func identity(of reader: JournalReader) -> FileIdentity? {
        reader.file.flatMap { Platform.status(ofPath: $0)?.identity }
    }

    /// - Throws: ``JournalError`` if the file was replaced.
    func check() throws(JournalError) {
        // While there is none, reading it tells.
        guard let now = ServedFile.identity(of: reader) else { return }
        if now == identity {
            guard let journal, let found = try reader.journalID(), found != journal else { return }
        }
        throw JournalError(
            .fenced, "Another file has this name now.", advice: "End this server, and start it again.",
            file: reader.file)
    }
}
