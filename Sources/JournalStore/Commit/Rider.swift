/// What a stream wants to have written, but without a transaction of its own: it rides along with another one.
protocol Rider: AnyObject, Sendable {
    /// Gives what there is; nil where there is nothing. Called by the one that makes a transaction; must not wait. Told as which it
    /// does not wait any more.
    func take(_ patience: RiderDesk.Patience) -> Batch?
    /// What became of that. Called on the thread that committed, before anything else is taken.
    func wasWritten(_ result: Result<Void, JournalError>)
    /// Of one that is patient: whether nothing of it was written since this was asked for the last time. Must not wait.
    func isStuck() -> Bool
}

/// Who waits to ride along.
///
/// Those in a hurry go with the next transaction. The patient ones wait until there is none to be made for others, because their own
/// streams may have something to write by then that says the same; but not for long.
///
/// Where no transaction comes for them, one is made after a short idle: asked for by a timer that runs only while somebody waits.
struct RiderDesk {
    enum Patience { case none, some }

    /// How often the timer rings until one that is patient and stuck is in a hurry.
    static let patience = 100

    /// One that leaves, and as which it came.
    typealias Leaving = (rider: any Rider, patience: Patience)

    private var hurried: [Leaving] = []
    /// With the ring they came after.
    private var patient: [(rider: any Rider, since: Int)] = []
    private var rings = 0
    private var isTimed = false
    private var transactions = 0
    private var failures = 0

    private var isEmpty: Bool { hurried.isEmpty && patient.isEmpty }

    /// - Returns: whether a timer must be started now.
    mutating func add(_ rider: any Rider, _ patience: Patience) -> Bool {
        switch patience {
        case .none: hurried.append((rider, .none))
        case .some: patient.append((rider, rings))
        }
        defer { isTimed = true }
        return !isTimed
    }

    /// Those who go with the transaction that is being made.
    ///
    /// - Parameter takesAll: also the patient ones.
    mutating func take(takesAll: Bool) -> [Leaving] {
        transactions += 1
        if takesAll, !patient.isEmpty {
            hurried += patient.map { ($0.rider, .some) }
            patient = []
        }
        if hurried.isEmpty { return hurried }
        defer { hurried = [] }
        return hurried
    }

    mutating func wereWritten(_ success: Bool) {
        failures = success ? 0 : min(failures + 1, 7)
    }

    /// How long the timer sleeps: longer and longer while nothing can be written.
    func delay(_ idle: Duration) -> Duration { idle * (1 << failures) }

    enum Ring { case stop, sleepAgain, commit }

    /// The timer rings.
    ///
    /// - Parameter seen: how many transactions there were when it last did.
    mutating func ring(seen: inout Int) -> Ring {
        guard !isEmpty else {
            isTimed = false
            return .stop
        }
        rings += 1
        hurry()
        defer { seen = transactions }
        return seen == transactions ? .commit : .sleepAgain
    }

    /// Looks at those whose time is up: what is not stuck may wait as long again.
    private mutating func hurry() {
        let late = patient.prefix { rings - $0.since >= Self.patience }
        if late.isEmpty { return }
        patient.removeFirst(late.count)
        for (rider, _) in late {
            if rider.isStuck() { hurried.append((rider, .some)) } else { patient.append((rider, rings)) }
        }
    }
}
