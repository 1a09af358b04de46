/// An opening of a journal for writing by an app. What was committed between two openings comes from one process.
package struct JournalOpening: Hashable, Sendable {
    /// 1 for the one that made the journal.
    package var number: Int
    package var time: Timestamp
    /// The ID of the process.
    package var process: Int
    /// The version of the library.
    package var library: String

    /// How many openings a journal remembers.
    static let most = 10_000
}
