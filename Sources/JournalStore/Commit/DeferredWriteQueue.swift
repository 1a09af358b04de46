/// Something that has records to write, but needs no transaction of its own: they are written with the next one.
protocol DeferredWriteSource: AnyObject, Sendable {
    /// The records to write now; nil if there are none. Called while a transaction is prepared; must not wait.
    ///
    /// - Parameter urgency: the urgency with which the source was queued; it is not queued with that any more.
    func take(_ urgency: DeferredWriteQueue.Urgency) -> Batch?
    /// The result of that write. Called on the committing thread, before anything else is taken; must not wait.
    func wasWritten(_ result: Result<Void, JournalError>)
    /// For a patient source: whether nothing of it was written since the last call. Must not wait.
    func isStuck() -> Bool
}

/// The sources that wait for a transaction.
///
/// An urgent source joins the next transaction. A patient one waits for a transaction that takes all sources: until
/// then an entry of its own stream has usually written the same. If that does not happen within ``patience`` ticks of
/// the timer, it becomes urgent. If no transaction comes at all, the timer asks for one. The timer runs only while a
/// source waits.
struct DeferredWriteQueue {
    enum Urgency {
        /// With the next transaction.
        case soon
        /// When all are written, or after ``patience`` ticks of the timer without progress.
        case patient
    }

    /// After how many ticks of the timer a patient source that is stuck becomes urgent.
    static let patience = 100

    /// A source that joins a transaction, and the urgency with which it was queued.
    typealias Taken = (source: any DeferredWriteSource, urgency: Urgency)

    private var urgent: [Taken] = []
    /// With the tick at which each was queued.
    private var patient: [(source: any DeferredWriteSource, since: Int)] = []
    private var ticks = 0
    private var isTimed = false
    private var transactions = 0
    private var failures = 0

    private var isEmpty: Bool { urgent.isEmpty && patient.isEmpty }

    /// - Returns: whether the timer must be started.
    mutating func add(_ source: any DeferredWriteSource, _ urgency: Urgency) -> Bool {
        switch urgency {
        case .soon: urgent.append((source, .soon))
        case .patient: patient.append((source, ticks))
        }
        defer { isTimed = true }
        return !isTimed
    }

    /// The sources that join the transaction that is being made.
    ///
    /// - Parameter all: also the patient ones.
    mutating func take(all: Bool) -> [Taken] {
        transactions += 1
        if all, !patient.isEmpty {
            urgent += patient.map { ($0.source, .patient) }
            patient = []
        }
        if urgent.isEmpty { return urgent }
        defer { urgent = [] }
        return urgent
    }

    mutating func wereWritten(_ success: Bool) {
        failures = success ? 0 : min(failures + 1, 7)
    }

    /// How long the timer sleeps: longer and longer while writing fails.
    func delay(_ idle: Duration) -> Duration { idle * (1 << failures) }

    enum TimerAction { case stop, sleepAgain, commit }

    /// A tick of the timer.
    ///
    /// - Parameter seen: the number of transactions at the last tick.
    mutating func tick(seen: inout Int) -> TimerAction {
        guard !isEmpty else {
            isTimed = false
            return .stop
        }
        ticks += 1
        promote()
        defer { seen = transactions }
        return seen == transactions ? .commit : .sleepAgain
    }

    /// Makes stuck patient sources urgent. The others may wait as long again.
    private mutating func promote() {
        let late = patient.prefix { ticks - $0.since >= Self.patience }
        if late.isEmpty { return }
        patient.removeFirst(late.count)
        for (source, _) in late {
            if source.isStuck() { urgent.append((source, .patient)) } else { patient.append((source, ticks)) }
        }
    }
}
