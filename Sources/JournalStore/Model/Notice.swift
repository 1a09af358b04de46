/// Something the app may want to hear of that is no error for any caller.
public struct Notice: Hashable, Sendable, CustomStringConvertible {
    /// The kind of notice. More can be added.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        /// The stable name.
        public let rawValue: String

        /// A kind by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// A state was not kept. Nothing is lost: the next snapshot, or the fold, stands in for it.
        public static let snapshotFailed = Self(rawValue: "snapshot-failed")
        /// What a step came to could not be recorded as a whole. The step itself is in the journal.
        public static let recordIncomplete = Self(rawValue: "record-incomplete")
        /// Too many openings have ended early: effects that come back start one after the other.
        public static let carefulOpening = Self(rawValue: "careful-opening")
        /// What a machine sends to another one could not be given to it.
        public static let messageFailed = Self(rawValue: "message-failed")
        /// The last process ended while it reduced a step.
        public static let diedReducing = Self(rawValue: "died-reducing")
        /// A step returned several effects that cannot be told apart after a restart. Reported where coding is checked.
        public static let ambiguousEffects = Self(rawValue: "ambiguous-effects")
        /// A queue was to be updated to a policy that makes no sense, and stays as it was.
        public static let queueRefused = Self(rawValue: "queue-refused")
        /// Acknowledged entries are missing, and the opening went on as the durability or the options allow.
        public static let entriesLost = Self(rawValue: "entries-lost")
        /// The file that remembers the last acknowledged entry is new beside a journal that is not: whether entries are
        /// missing cannot be told.
        public static let nothingRemembered = Self(rawValue: "nothing-remembered")
        /// The journal had stopped at an I/O error, and was copied to a new file that is known to be on the disk.
        public static let copiedAfterFailure = Self(rawValue: "copied-after-failure")
    }

    /// The kind of notice.
    public var kind: Kind
    /// The error that tells what, where and what to do.
    public var error: JournalError

    /// The kind and the error in one line.
    public var description: String { "\(kind.rawValue): \(error)" }
}
