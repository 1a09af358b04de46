/// An error of a journal: what went wrong, in which file, stream and step, and what to do about it.
///
/// Compare ``code`` to react; show ``description`` to people. It never contains an action or a state.
public struct JournalError: Error, Hashable, Sendable {
    /// The kind of error. More can be added; a `switch` needs a `default`.
    public struct Code: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// The stable name, as tools print it.
        public let rawValue: String

        /// A code by its stable name.
        public init(rawValue: String) {
            self.rawValue = rawValue
        }

        /// The stable name.
        public var description: String { rawValue }
    }

    /// The kind of error.
    public var code: Code
    /// What happened, in a sentence.
    public var message: String
    /// What to do about it, in a sentence; empty if there is nothing to add.
    public var advice: String
    /// The journal's file; nil for a journal in memory.
    public var file: String?
    /// The stream's name, if the error is about a stream.
    public var stream: String?
    /// The step, if the error is about a step.
    public var step: Int?
    /// The extended result code of SQLite, the error number of the system, or a negative number of this library, if one
    /// of them caused the error. It is for people: nothing says which of the three it is.
    public var underlying: Int32?
    /// Whether earlier records could not be written, and what was refused would have come after them.
    var isOfEarlierRecords = false

    /// Creates an error, for tests of code that handles errors.
    public init(
        _ code: Code, _ message: String, advice: String = "", file: String? = nil, stream: String? = nil,
        step: Int? = nil, underlying: Int32? = nil
    ) {
        (self.code, self.message, self.advice) = (code, message, advice)
        (self.file, self.stream, self.step, self.underlying) = (file, stream, step, underlying)
    }

    /// The error of a system call, with its reason at the end of the message.
    ///
    /// - Parameter code: the kind of error, unless the disk is full, too many files are open or the disk failed.
    package static func system(
        _ code: Code, _ what: String, advice: String = "", file: String?, number: Int32 = Platform.lastError
    ) -> JournalError {
        let (code, advice) =
            switch Platform.kind(ofError: number) {
            case .noRoom:
                (Code.diskFull, Platform.isFileSizeLimit(number) ? adviceForFileSize : adviceForNoRoom)
            case .tooManyFiles: (Code.tooManyFiles, tooManyFilesAdvice)
            case .brokenDisk: (Code.inputOutput, "Check the disk and the system's log.")
            case .missing, .noAccess, .other: (code, advice)
            }
        return JournalError(
            code, "\(what) (\(Platform.message(forError: number))).", advice: advice, file: file, underlying: number)
    }

    /// The error of a call on a journal that was closed.
    static func closed(_ file: String?) -> JournalError {
        JournalError(.closed, "The journal was closed.", advice: "Open it again.", file: file)
    }

    static let hostWasClosed = "The host was closed."

    /// Whether it is the error of a call on a host that was closed.
    var isOfClosedHost: Bool { code == .closed && message == JournalError.hostWasClosed }

    static func adviceForCrashLoop(_ location: ErrorLocation) -> String {
        "If one of them ends each of the next processes, it is found and parked, after three to twenty openings: "
            + "`journal-replay effects \(location.fileWord) --status parked` lists it, and `release` starts it after "
            + "you have mended it. `OpenOptions.crashLoopLimit` sets how many openings are tolerated; a host has it in "
            + "`HostOptions.opening`."
    }
    /// For what is not open yet: a journal that is open continues by itself.
    static let adviceForNoRoom = "Free some space, then try again."
    static let adviceForNoRoomWhileOpen = "Free some space, then try again: a journal that is open continues by itself."
    static let adviceForFileSize =
        "Raise the limit of this process for the size of files (`ulimit -f`), or use a file system with larger ones."
    static let tooManyFilesAdvice = "Close files, or raise the limit of open files (`ulimit -n`), then try again."
}

extension JournalError {
    /// A program needs some files besides the journal's.
    package static let tooFewFiles = JournalError(
        .tooManyFiles, "Too few files can be opened to begin.", advice: tooManyFilesAdvice)
}

extension JournalError: CustomStringConvertible {
    /// The file, stream and step, what happened, and what to do.
    public var description: String {
        var place = [file, stream.map { "stream '\($0)'" }].compactMap(\.self).joined(separator: ", ")
        if let step { place += (place.isEmpty ? "" : ", ") + "step \(step)" }
        let number = underlying.map { " [\(code.rawValue), \($0)]" } ?? " [\(code.rawValue)]"
        // Names come from outside: they must not move the cursor of a terminal or begin a new line in a log.
        return JSONOutput.safe((place.isEmpty ? "" : place + ": ") + sentences + number)
    }

    /// What happened, and what to do. A message can end with the text of another error, which is not always a sentence.
    package var sentences: String {
        guard let end = message.last, !advice.isEmpty else { return message + advice }
        return message + (".!?".contains(end) ? " " : ". ") + advice
    }
}

extension JournalError {
    /// Whether nothing was done, and the same call can succeed later: the disk is full, another program locks the file
    /// or holds the journal, too many files are open, or too much is under way. Two calls can have done something all the
    /// same, and are not to be repeated then: a cancel, release or retry of an effect, if the advice says so; and a close.
    public var isRetryable: Bool { isTransient || [.overloaded, .inUse, .tooManyFiles].contains(code) }

    /// Whether the open journal goes on by itself: the disk is full, or another program locks the file.
    var isTransient: Bool { code == .diskFull || code == .busy }

    /// Whether the journal may store later what it has refused now: the disk is full, or another program has changed the
    /// file. If not, it cannot store that, or nothing any more. An error with a step is about what was to be stored, or
    /// about the row that it would change.
    var allowsLater: Bool {
        isTransient
            || !isFinal && !isOfEarlierRecords && step == nil
                && ![.notStorable, .badArgument].contains(code)
    }

    /// Whether a row could not be read for a reason that has nothing to do with the row.
    var concernsReading: Bool {
        [.inputOutput, .cannotOpen, .tooManyFiles, .busy, .diskFull, .closed].contains(code)
    }

    /// Whether this version of the machine cannot decode what another one has stored.
    var concernsDecoding: Bool { [.notDecodable, .noUpcaster, .newerMachine].contains(code) }

    /// Whether the journal, or this opening of it, cannot be used any more.
    var isFinal: Bool { [.outcomeUnknown, .inputOutput, .fenced, .closed].contains(code) }
}

extension JournalError.Code {
    /// The path cannot be opened: the file is missing, is a folder, or may not be read or written; or the file `-lock`
    /// beside it is damaged.
    public static let cannotOpen = Self(rawValue: "cannot-open")
    /// This process, or the system, has too many files open.
    public static let tooManyFiles = Self(rawValue: "too-many-files")
    /// The file is not a database.
    public static let notADatabase = Self(rawValue: "not-a-database")
    /// The file is a database of another application. To a reader also: it is an empty database, or a file beside a
    /// journal, such as its `-wal`.
    public static let notAJournal = Self(rawValue: "not-a-journal")
    /// The journal, its -lock, or the export was written by a newer version of the library.
    public static let newerSchema = Self(rawValue: "newer-schema")
    /// The schema is not that of a journal: a table, index or view is missing or was changed, a view, a trigger, or an
    /// index that could refuse a row was added, the file has no version, or a recorded migration is not the one that
    /// this library has.
    public static let schemaMismatch = Self(rawValue: "schema-mismatch")
    /// Another process, or another part of this one, writes the journal.
    public static let inUse = Self(rawValue: "in-use")
    /// The file has several names, so that two writers could open it without noticing each other: it has hard links, or
    /// it is mounted at a second path while its newest entries are in the WAL at the first one.
    public static let severalNames = Self(rawValue: "several-names")
    /// This writer may not write any more: another one has overtaken it, its files were moved, replaced, linked,
    /// truncated or deleted, their path cannot be looked up any more, its schema was changed, or this process is a fork
    /// of the one that opened the journal. With a step: something else has appended to the stream, and the store has ended.
    public static let fenced = Self(rawValue: "fenced")
    /// Another connection held the database for longer than the busy timeout. Or what was called cannot run at this
    /// moment: a pruning while an effect is retried or records cannot be written, an export of a closed file while an
    /// app opens it.
    public static let busy = Self(rawValue: "busy")
    /// The disk is full. Nothing was written; the journal keeps working once there is room.
    public static let diskFull = Self(rawValue: "disk-full")
    /// The disk failed, and usually the journal has stopped; or the database had too little memory, which ends only the
    /// store. Nothing was written.
    public static let inputOutput = Self(rawValue: "input-output")
    /// The disk failed during a commit: it is unknown whether the transaction is on the disk. The journal has stopped,
    /// and its later calls throw this code too. Or there was too little memory during the commit, which ends only the store.
    /// Or the store ended after the commit, before the action was reduced: the
    /// next opening reduces it. Later calls of that store can throw this code too.
    public static let outcomeUnknown = Self(rawValue: "outcome-unknown")
    /// The database is damaged, or a row was changed by hand.
    public static let corrupt = Self(rawValue: "corrupt")
    /// Entries, or changes of effects, that were acknowledged are not in the file any more.
    public static let acknowledgedEntriesLost = Self(rawValue: "acknowledged-entries-lost")
    /// The journal, the host, the store or the stream was closed.
    public static let closed = Self(rawValue: "closed")
    /// No machine is known that could replay the stream. In a notice: no machine of this process reduces its messages.
    public static let noMachine = Self(rawValue: "no-machine")
    /// The process that holds the journal did not answer in time, or ended the connection without an answer. What it
    /// was asked to do may have been done.
    public static let noAnswer = Self(rawValue: "no-answer")
    /// The calling task was cancelled.
    public static let cancelled = Self(rawValue: "cancelled")
    /// There is no stream of that name.
    public static let unknownStream = Self(rawValue: "unknown-stream")
    /// The stream is open already.
    public static let streamOpen = Self(rawValue: "stream-open")
    /// The machine has a host in this journal already.
    public static let hostOpen = Self(rawValue: "host-open")
    /// As many dispatches are under way as the host allows, or as many operators are connected as the journal allows.
    public static let overloaded = Self(rawValue: "overloaded")
    /// The stream belongs to another machine.
    public static let otherMachine = Self(rawValue: "other-machine")
    /// The dispatch ID was used before, for another action.
    public static let dispatchIDReused = Self(rawValue: "dispatch-id-reused")
    /// The stream, or the state, was written by a newer version of its machine.
    public static let newerMachine = Self(rawValue: "newer-machine")
    /// An action or a state of an older version cannot be upcast to the current one.
    public static let noUpcaster = Self(rawValue: "no-upcaster")
    /// A stored action or state, or the value of a described effect, cannot be decoded.
    public static let notDecodable = Self(rawValue: "not-decodable")
    /// An action, a state, the ID or queue of an effect, or the value of a described one is not the same after encoding and
    /// decoding.
    public static let lossyCoding = Self(rawValue: "lossy-coding")
    /// A reducer had two results for the same action, state and step.
    public static let impureReducer = Self(rawValue: "impure-reducer")
    /// Steps spend more on copies of the state than on reducing it.
    public static let copiedState = Self(rawValue: "copied-state")
    /// The state or the action of a machine is a class: a journal stores values.
    public static let notAValue = Self(rawValue: "not-a-value")
    /// A reducer, an observer or an effect function called its own store, which would have waited for itself.
    public static let reentrant = Self(rawValue: "reentrant")
    /// An effect has failed for the last time.
    public static let effectFailed = Self(rawValue: "effect-failed")
    /// The middleware of a machine has thrown. The machine goes on.
    public static let middlewareFailed = Self(rawValue: "middleware-failed")
    /// The code returns other effects than the journal has recorded.
    public static let otherEffects = Self(rawValue: "other-effects")
    /// The effect, the step or the snapshot is in a state that does not allow the operation.
    public static let notInThatState = Self(rawValue: "not-in-that-state")
    /// Another process, an earlier one of the app or one of the tool, ended unexpectedly: a reducer or an effect
    /// crashed it, or a signal ended it.
    public static let crashed = Self(rawValue: "crashed")
    /// A value cannot be encoded, or is too long for SQLite. Or earlier records of the stream could not be written, and
    /// what was called has to come after them.
    public static let notStorable = Self(rawValue: "not-storable")
    /// No snapshot can be used, and the entries before it were pruned or are before a base.
    public static let noUsableSnapshot = Self(rawValue: "no-usable-snapshot")
    /// The step, or an effect or a snapshot of it, is not in the journal or was pruned; or it is not decided yet
    /// whether the step counts.
    public static let noSuchStep = Self(rawValue: "no-such-step")
    /// The destination exists; it is not overwritten.
    public static let destinationExists = Self(rawValue: "destination-exists")
    /// A copy failed verification and was removed.
    public static let copyNotVerified = Self(rawValue: "copy-not-verified")
    /// The text to be imported is not an export of a journal.
    public static let notAnExport = Self(rawValue: "not-an-export")
    /// An export is truncated, is damaged, or was edited so that no journal can be made from it.
    public static let damagedExport = Self(rawValue: "damaged-export")
    /// An argument is not valid.
    public static let badArgument = Self(rawValue: "bad-argument")
}
