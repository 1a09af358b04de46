package import JournalStore

extension JournalReader {
    /// The first thousand entries of a stream: all, in most tests.
    package func entries(in name: String) throws(JournalError) -> [Entry] { try entries(in: name, limit: 1_000) }
}
