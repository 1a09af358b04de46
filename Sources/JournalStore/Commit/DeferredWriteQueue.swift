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
/// An urgent source joins the next transaction. A patient source joins a transaction that waits for it or for all
/// sources. Usually an entry of its own stream has written the same before that. If that does not happen within
/// ``patience`` ticks of the timer, it becomes urgent. If no transaction comes at all, the timer asks for one. The
/// timer runs only while a source waits.
struct DeferredWriteQueue {
    enum Urgency {
        /// With the next transaction.
        case soon
        /// When a transaction waits for it or for all, or after ``patience`` ticks of the timer without progress.
        case patient
    }

    /// After how many ticks of the timer a patient source that is stuck becomes urgent.
    static let patience = 100

    /// A source that joins a transaction, and the urgency with which it was queued.
    typealias Taken = (source: any DeferredWriteSource, urgency: Urgency)

    private var urgent: [Taken] = []
    /// The patient sources, each with the number of its place in the line.
    private var patient: [ObjectIdentifier: (source: any DeferredWriteSource, number: Int)] = [:]
    /// The places of the patient sources, in the order in which they were queued. One that is taken alone leaves its
    /// place empty.
    private var line: [Place] = []
    private var lastNumber = 0
    private var ticks = 0
    private var isTimed = false
    private var transactions = 0
    private var failures = 0

    private struct Place {
        let source: ObjectIdentifier
        let number: Int
        /// The tick at which it was queued.
        let since: Int
    }

    private var isEmpty: Bool { urgent.isEmpty && patient.isEmpty }

    /// - Returns: whether the timer must be started.
    mutating func add(_ source: any DeferredWriteSource, _ urgency: Urgency) -> Bool {
        switch urgency {
        case .soon: urgent.append((source, .soon))
        case .patient:
            lastNumber += 1
            let place = Place(source: ObjectIdentifier(source), number: lastNumber, since: ticks)
            patient[place.source] = (source, place.number)
            line.append(place)
        }
        defer { isTimed = true }
        return !isTimed
    }

    /// The sources that join the transaction that is being made: the urgent ones, and those that it waits for.
    ///
    /// - Parameters:
    ///   - all: whether it waits for all.
    ///   - sources: the sources that it waits for, if not for all.
    mutating func take(all: Bool, _ sources: [any DeferredWriteSource] = []) -> [Taken] {
        transactions += 1
        if all { takePatient() } else { for source in sources { takePatient(source) } }
        if urgent.isEmpty { return urgent }
        defer { urgent = [] }
        return urgent
    }

    private mutating func takePatient() {
        if patient.isEmpty { return }
        for place in line {
            if let source = occupant(of: place) { urgent.append((source, .patient)) }
        }
        (patient, line) = ([:], [])
    }

    private mutating func takePatient(_ source: any DeferredWriteSource) {
        guard patient.removeValue(forKey: ObjectIdentifier(source)) != nil else { return }
        urgent.append((source, .patient))
        // Not each time, so that the cost does not depend on the length of the line.
        if line.count > 2 * patient.count + 64 {
            line.removeAll { [patient] place in patient[place.source]?.number != place.number }
        }
    }

    /// Nil if the place is empty.
    private func occupant(of place: Place) -> (any DeferredWriteSource)? {
        guard let found = patient[place.source], found.number == place.number else { return nil }
        return found.source
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
        let late = line.prefix { ticks - $0.since >= Self.patience }
        if late.isEmpty { return }
        line.removeFirst(late.count)
        for place in late {
            guard let source = occupant(of: place) else { continue }
            if source.isStuck() {
                patient[place.source] = nil
                urgent.append((source, .patient))
            } else {
                line.append(Place(source: place.source, number: place.number, since: ticks))
            }
        }
    }
}
