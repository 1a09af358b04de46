/// The process that holds a journal for writing, or was the last to do so.
package struct Holder: Hashable, Sendable {
    package var identity: ProcessIdentity
    /// When it opened the journal.
    package var since: Timestamp
    /// The journal's random identity.
    package var journal: [UInt8]
    /// The identity of the open database file, which stays the same if the file is renamed.
    package var database: FileIdentity
    package var durability: Durability
    /// False after it has released the journal.
    package var holds = true

    /// Whether it still has the journal, as far as is known: it has neither released it nor died.
    package var isAlive: Bool { holds && identity.life != .ended }
}

/// The newest acknowledged transaction, and the newest entry up to it.
struct Acknowledged: Hashable {
    /// The position of the entry; 0 if there is none.
    var position: Int
    /// The digest of the entry.
    var digest = Digest.none
    /// The number of the transaction; 0 if there is none.
    var transaction: Int64 = 0
    /// A stream that the transaction changed.
    var stream = StreamID(rawValue: 0)
}
