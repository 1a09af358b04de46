/// What a stream wants to have written, but without a transaction of its own: it rides along with the next one that is made.
package protocol Rider: AnyObject, Sendable {
    /// Gives what there is; nil where there is nothing. Called by the one that makes a transaction; must not wait.
    func take() -> Batch?
    /// What became of that. Called on the thread that committed, before anything else is taken.
    func wasWritten(_ result: Result<Void, JournalError>)
}

/// Who waits to ride along.
///
/// Where no transaction comes for them, one is made after a short idle: asked for by a timer that runs only while somebody waits.
struct RiderDesk {
    private(set) var waiting: [any Rider] = []
    private var isTimed = false
    private var transactions = 0
    private var failures = 0

    /// - Returns: whether a timer must be started now.
    mutating func add(_ rider: any Rider) -> Bool {
        waiting.append(rider)
        defer { isTimed = true }
        return !isTimed
    }

    /// All that wait, for the transaction that is being made.
    mutating func take() -> [any Rider] {
        transactions += 1
        defer { waiting = [] }
        return waiting
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
        guard !waiting.isEmpty else {
            isTimed = false
            return .stop
        }
        defer { seen = transactions }
        return seen == transactions ? .commit : .sleepAgain
    }
}
