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

    /// Whether it still has the journal: it has neither released it nor died.
    package var isAlive: Bool { holds && identity.isRunning }
}

/// The last entry whose commit was acknowledged.
struct Acknowledged: Hashable {
    var position: Int
    var digest: Digest
}
