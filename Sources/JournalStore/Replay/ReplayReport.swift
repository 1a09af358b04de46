/// The result of verifying a stream by replaying it with its machine.
public struct ReplayReport: Hashable, Sendable, Codable {
    /// The stream.
    public var stream: String
    /// The machine's version.
    public var version: Int
    /// The step after which the replay began: 0, or the base of a pruned stream.
    public var firstStep: Int
    /// The last step that was reduced.
    public var lastStep: Int
    /// How many snapshots were compared.
    public var snapshots = 0
    /// How many records of steps and effects were compared.
    public var records = 0
    /// The first difference; nil if there is none.
    public var divergence: Divergence?
    /// Differences in the history of older code, at most ``limit``. They do no harm: later states are computed from the
    /// base that follows them, or that the next opening writes.
    public var ofOlderCode: [Divergence] = []
    /// The steps of snapshots that cannot be read.
    public var unreadableSnapshots: [Int] = []
    /// The newest snapshot, with which an opening would begin, if this version cannot decode it; nil if it can. The
    /// opening would reduce the steps up to it again.
    public var unreadableStart: UnreadableSnapshot?

    /// How many steps of older versions follow the newest snapshot that can be read: an opening with this version
    /// reduces them again, and its result counts.
    public var olderSteps = 0
    /// The effects that have not ended and that the code does not return any more, or has no handler for, at most
    /// ``limit``: after an opening they are orphans.
    public var orphans: [Orphan] = []

    /// An effect that the code does not return any more, or has no handler for.
    public struct Orphan: Hashable, Sendable, Codable {
        /// The step that returned it.
        public var step: Int
        /// Its name.
        public var name: String
        /// The stored type of its value, for which there is no handler; nil for an effect that is a closure.
        public var type: String?
        /// What an opening does with it; nil if a tool of an older version has found it.
        public var outcome: Outcome?

        /// What an opening with this code does with an effect that the code does not know. More can be added: a `switch`
        /// needs `@unknown default`.
        #if hasAttribute(nonexhaustive)
            @nonexhaustive
        #endif
        public enum Outcome: String, Hashable, Sendable, Codable, CaseIterable {
            /// It is an orphan from then on, and never ends.
            case orphan
            /// It ends with the action of its `onOrphan`.
            case action
            /// It waits for a decision, as before: it can be cancelled, but not released.
            case waits
        }
    }

    /// A snapshot that this version cannot decode.
    public struct UnreadableSnapshot: Hashable, Sendable, Codable {
        /// The step after which its state was.
        public var step: Int
        /// Why it cannot be decoded.
        public var message: String
        /// What to do about it.
        public var advice: String
    }

    /// The maximum length of ``ofOlderCode`` and of ``orphans``.
    public static let limit = 20

    /// Whether the replay matches what the journal holds, and an opening can begin with the newest snapshot.
    public var isFaithful: Bool { divergence == nil && unreadableStart == nil }
}
