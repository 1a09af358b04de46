/// What debug builds find out about a reducer while a store reduces each step twice.
///
/// `@unchecked`: used only by the thread that drains the store's inbox.
final class ReducerChecks: @unchecked Sendable {
    /// The names of the actions whose steps had two results.
    private var impureActions: Set<String> = []
    private var differed = false
    var copies = CopyCheck()
    /// Whether the state holds an object that the reducer has changed. Then a second reduction changes it again.
    private(set) var hasObject = false
    /// How many more steps to look for one. Each look encodes the state twice.
    private var looks = 10

    /// Whether to look for an object in the next step.
    func looksForObject() -> Bool {
        looks -= 1
        return looks >= 0
    }

    func foundObject() { hasObject = true }

    /// The newest step had two results.
    func noteDifference() { differed = true }

    /// Whether the step before had two results.
    func takeDifference() -> Bool {
        defer { differed = false }
        return differed
    }

    /// - Returns: whether this is the action's first step that had two results.
    func addImpure(_ action: String) -> Bool { impureActions.insert(action).inserted }
}

/// Decides whether a store spends more on copies of its state than on reducing it.
///
/// Some steps are reduced on the store's state, which a reader may hold. If that takes long, later ones are also
/// reduced on an equal state that nothing else holds. The difference is what the copies cost.
struct CopyCheck: Sendable {
    /// How many steps there are for each that is measured.
    static let interval = 32
    /// What copies may cost in a step.
    static let tolerated = Duration.microseconds(100)

    /// Whether the last measured step took so long that an equal state is worth its cost.
    private(set) var isSuspicious = false
    private var steps = 0
    private var expensive = 0
    private var hasWarned = false

    /// Whether to measure the next step.
    mutating func isDue() -> Bool {
        guard !hasWarned else { return false }
        steps += 1
        return steps.isMultiple(of: Self.interval)
    }

    /// Judges a step that was measured on the store's state only.
    mutating func note(_ time: Duration) { isSuspicious = time > Self.tolerated }

    /// Judges a step. One expensive step may be a chance; two that are measured in a row are not.
    ///
    /// - Parameters:
    ///   - time: what the step takes on the store's state.
    ///   - alone: what it takes on a state that nothing else holds.
    /// - Returns: whether to warn, which happens once.
    mutating func shouldWarn(_ time: Duration, alone: Duration) -> Bool {
        let copying = time - alone
        expensive = copying > alone && copying > Self.tolerated ? expensive + 1 : 0
        hasWarned = expensive == 2
        return hasWarned
    }
}

extension ErrorLocation {
    func copiedState(_ action: String, _ time: Duration, alone: Duration) -> JournalError {
        let (microseconds, least) = (time.inMicroseconds, alone.inMicroseconds)
        return error(
            .copiedState,
            "The action '\(action)' took \(microseconds) µs to reduce, and \(least) µs on a state that nothing else "
                + "holds: the rest is a copy of the state.",
            advice:
                "Do not keep the values of store.state and store.states: while one is kept, the next step copies what "
                + "it changes. Read the part that you need, or make the state smaller.")
    }
}
