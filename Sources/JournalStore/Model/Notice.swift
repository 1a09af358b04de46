/// A problem that no caller asked about, passed to ``JournalOptions/report``.
public struct Notice: Hashable, Sendable, CustomStringConvertible {
    /// The kind of notice. More can be added.
    public struct Kind: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name.
        public let rawValue: String

        /// A kind by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }

        /// A snapshot could not be stored. Nothing is lost: the next opening takes longer. If it was the base of a new
        /// version, the new reducer also computes the older steps.
        public static let snapshotFailed = Self(rawValue: "snapshot-failed")
        /// Snapshots could not be read, and the fold began with an older one or with the first step. Nothing is lost
        /// but time, unless a new version of the machine reduces the steps after it to another state. Reported once for
        /// each opening, and by a host once for all states that cannot be decoded.
        public static let snapshotSkipped = Self(rawValue: "snapshot-skipped")
        /// The outcome of a step could not be recorded completely, or the last records of a store that was released could
        /// not be written. The steps themselves are in the journal.
        public static let recordIncomplete = Self(rawValue: "record-incomplete")
        /// A crash loop was detected: effects that are restored start in groups. A host reports it once for all its
        /// streams.
        public static let crashLoop = Self(rawValue: "crash-loop")
        /// A host could not open a stream whose effects it was to continue, or could not read which streams have some.
        /// It tries again when the stream is used; if the disk is full, the file is busy or too many files are open,
        /// after a second.
        public static let openingFailed = Self(rawValue: "opening-failed")
        /// A host has opened a stream with effects that the code does not return any more. Reported once for each host.
        public static let orphanedEffects = Self(rawValue: "orphaned-effects")
        /// A host has opened a stream with effects that wait for a decision. Reported once for each host if they are
        /// `asked`, and for each stream if they are `parked`, because they have crashed the process again and again.
        public static let askedEffects = Self(rawValue: "asked-effects")
        /// In a stream that was opened, a new version of the machine had to reduce steps of an older one, because there
        /// was no snapshot of the newest state. A host reports it once.
        public static let olderSteps = Self(rawValue: "older-steps")
        /// An effect has failed for the last time, and its machine hears nothing of it: the effect has no `onFailure`,
        /// or that returns no action, or its action cannot be stored.
        public static let effectFailed = Self(rawValue: "effect-failed")
        /// A message could not be delivered: it cannot be encoded, the receiver cannot decode it, or its stream belongs to
        /// another machine or has no valid name.
        public static let messageFailed = Self(rawValue: "message-failed")
        /// Messages for a machine wait in their streams, because this process neither hosts the machine nor has a
        /// stream of it open. Reported once for each machine, ten seconds after a message.
        public static let messagesWaiting = Self(rawValue: "messages-waiting")
        /// The socket for operators cannot be made. `journal-replay cancel`, `retry`, `release`, `skip` and `top`
        /// cannot reach this process; everything else works.
        public static let operatorsUnavailable = Self(rawValue: "operators-unavailable")
        /// The middleware of a machine has thrown, or a step could not be read for it: then it is not called again
        /// before the stream is opened again. The machine goes on.
        public static let middlewareFailed = Self(rawValue: "middleware-failed")
        /// The last process ended while it reduced a step.
        public static let diedReducing = Self(rawValue: "died-reducing")
        /// A step returned several effects that cannot be told apart after a restart. Reported if coding is checked.
        public static let ambiguousEffects = Self(rawValue: "ambiguous-effects")
        /// A step returned a described effect whose handler a restart would not find, because it belongs to a reducer
        /// that is called in the closure of another one. Reported if coding is checked.
        public static let unreachableHandler = Self(rawValue: "unreachable-handler")
        /// A step had two results when it was reduced twice; see ``JournalOptions/reducesTwice``. A replay can compute
        /// another state than the store has. Reported once for each name of an action, and if the state before a step
        /// was computed again and is another one.
        public static let impureReducer = Self(rawValue: "impure-reducer")
        /// Steps spend more on copies of the state than on reducing it, because something keeps each state. Found if
        /// ``JournalOptions/reducesTwice`` is on, and reported once for each store.
        public static let copiedState = Self(rawValue: "copied-state")
        /// A store was released while it had live effects. They continue when the stream is opened again.
        public static let storeReleased = Self(rawValue: "store-released")
        /// A queue's policy was to be updated to one that is not valid, and is unchanged.
        public static let queueRefused = Self(rawValue: "queue-refused")
        /// Acknowledged entries, or changes of effects, are missing; the journal was opened because its durability or
        /// its options allow that.
        public static let entriesLost = Self(rawValue: "entries-lost")
        /// The sidecar, which remembers the last acknowledged entry, is new or has lost it, but its journal is not new:
        /// entries may be missing without a trace.
        public static let nothingRemembered = Self(rawValue: "nothing-remembered")
        /// The journal has stopped, because the disk failed, its file was moved or deleted or its path cannot be looked
        /// up any more, or another writer has taken it over. Its stores end at their next step, without an error if
        /// nobody waits for one. Close the journal and open it again.
        public static let journalStopped = Self(rawValue: "journal-stopped")
        /// The disk is full: nothing is written until there is room, and then everything goes on. Reported each time
        /// that the disk becomes full, because effects and timers wait as well, and they have no caller who gets the
        /// error.
        public static let diskFull = Self(rawValue: "disk-full")
        /// Another program has held the database for longer than ``JournalOptions/busyTimeout``: nothing is written until
        /// it lets go, and then everything goes on. Reported each time that this begins, because effects and timers wait
        /// as well.
        public static let busy = Self(rawValue: "busy")
        /// A store has ended while its journal goes on: something else has appended to its stream, the database had too
        /// little memory, or the state before a step could not be read. Open the stream again. A host does that itself.
        public static let storeStopped = Self(rawValue: "store-stopped")
        /// The journal had stopped at an I/O error, and was replaced by a copy that is known to be on the disk.
        public static let copiedAfterFailure = Self(rawValue: "copied-after-failure")
    }

    /// The kind of notice.
    public var kind: Kind
    /// The error: what happened, where, and what to do.
    public var error: JournalError

    /// Creates a notice, for tests of code that receives them.
    public init(kind: Kind, error: JournalError) {
        (self.kind, self.error) = (kind, error)
    }

    /// The kind and the error in one line.
    public var description: String { "\(kind.rawValue): \(error)" }
}
