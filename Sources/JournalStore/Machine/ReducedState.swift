/// A state that is reduced step by step, and changed in place: the cost of a step does not depend on the size of the
/// state.
///
/// A rejected action must leave no trace, and a state that was changed in place cannot be changed back. At first
/// nothing is kept for that case: when an action is rejected for the first time, the caller has to compute the state
/// before it again. From then on there is a second state, one step behind. Each step is tried on that one, after the
/// step before was repeated on it; a rejected step leaves the newest state as it is.
///
/// A copy of this value shares its states with it until one of them is changed.
struct ReducedState<Action: Sendable, State: Sendable>: Sendable {
    /// The state after the newest step.
    private(set) var newest: StateBox<State>
    private var second: SecondState<Action, State>?

    init(_ state: State) {
        newest = StateBox(state)
    }

    var state: State { newest.state }

    /// The state before the newest step that was not rejected. Needs ``keepPrevious()``.
    var previous: State { second?.box.state ?? state }

    /// Whether the newest state stays readable while the next step is reduced.
    var hasSecond: Bool { second != nil }

    /// Keeps a state one step behind from now on. The next step copies the state, and each step is reduced twice.
    mutating func keepPrevious() {
        guard second == nil else { return }
        second = SecondState(StateBox(newest.state))
    }

    /// Continues with another state.
    mutating func replace(with state: State) {
        newest = StateBox(state)
        if second != nil { second = SecondState(StateBox(state)) }
    }

    /// Reduces a step.
    ///
    /// If the result is spoiled, so is the state: call ``undo(_:to:_:at:_:in:_:)`` with the state before the step. That
    /// happens at the first rejection only.
    @inline(__always)
    mutating func reduce(
        _ action: Action, at number: Int, _ stamp: Appended.Stamp, in stream: StreamInfo,
        _ program: Program<Action, State>
    ) -> Reduction<Action> {
        guard second == nil else { return reduceTwice(action, at: number, stamp, in: stream, program) }
        if !isKnownUniquelyReferenced(&newest) { ownNewest() }
        // Then nothing is ever spoiled.
        let undoing = program.copiesStateForNothing
        return program.reduce(action, &newest.state, at: number, stamp, in: stream, undoing: undoing)
    }

    /// Reduces a step again after a first try that spoiled the state. Keeps a second state from now on.
    ///
    /// - Parameters:
    ///   - spoiled: the result of the first try.
    ///   - state: the state before the step.
    mutating func undo(
        _ spoiled: Reduction<Action>, to state: State, _ action: Action, at number: Int, _ stamp: Appended.Stamp,
        in stream: StreamInfo, _ program: Program<Action, State>
    ) -> Reduction<Action> {
        replace(with: state)
        keepPrevious()
        return reduceAgain(spoiled, action, at: number, stamp, in: stream, program)
    }

    /// Copies the newest state, because something else uses it. Outlined: this looks up generic metadata.
    @inline(never)
    private mutating func ownNewest() { newest = StateBox(newest.state) }

    @inline(never)
    private mutating func reduceTwice(
        _ action: Action, at number: Int, _ stamp: Appended.Stamp, in stream: StreamInfo,
        _ program: Program<Action, State>
    ) -> Reduction<Action> {
        let second = ownSecond()
        if let step = second.missing {
            second.missing = nil
            let repeated = program.reduce(
                step.action, &second.box.state, at: step.number, step.stamp, in: stream, undoing: false)
            if repeated.isSpoiled { second.box = StateBox(newest.state) }
        }
        let reduction = program.reduce(action, &second.box.state, at: number, stamp, in: stream, undoing: false)
        guard reduction.isSpoiled else {
            swap(&newest, &second.box)
            second.missing = (action, number, stamp)
            return reduction
        }
        // If a reducer rejects before it changes anything, which is usual, the second state can still be used.
        var probe = newest.state
        _ = program.reduce(action, &probe, at: number, stamp, in: stream, undoing: false)
        if !hasSameBytes(probe, newest.state) { second.box = StateBox(newest.state) }
        return reduceAgain(reduction, action, at: number, stamp, in: stream, program)
    }

    /// Reduces a step again of which something was rejected. The newest state is the one before it.
    private mutating func reduceAgain(
        _ spoiled: Reduction<Action>, _ action: Action, at number: Int, _ stamp: Appended.Stamp,
        in stream: StreamInfo, _ program: Program<Action, State>
    ) -> Reduction<Action> {
        if case .rejected = spoiled.outcome { return Reduction(outcome: spoiled.outcome) }
        // An action of the cascade was rejected, and only that one is undone.
        var state = newest.state
        let reduction = program.reduce(action, &state, at: number, stamp, in: stream, undoing: true)
        let second = ownSecond()
        second.box = newest
        second.missing = (action, number, stamp)
        newest = StateBox(state)
        return reduction
    }

    /// The second state, after making sure that no other copy of this value uses it.
    private mutating func ownSecond() -> SecondState<Action, State> {
        if isKnownUniquelyReferenced(&second), let second {
            if !isKnownUniquelyReferenced(&second.box) { second.box = StateBox(second.box.state) }
            return second
        }
        let own = SecondState<Action, State>(StateBox((second?.box ?? newest).state))
        own.missing = second?.missing
        second = own
        return own
    }
}

/// The state before the newest step.
///
/// `@unchecked`: changed only by a ``ReducedState`` that has the only reference to it.
private final class SecondState<Action: Sendable, State: Sendable>: @unchecked Sendable {
    var box: StateBox<State>
    /// The step that leads to the newest state; nil if the two states are equal.
    var missing: (action: Action, number: Int, stamp: Appended.Stamp)?

    init(_ box: StateBox<State>) {
        self.box = box
    }
}

/// Whether two values have the same bytes in memory, references included: then no reducer has changed one of them.
/// Bytes that have no meaning may differ, so false says nothing.
private func hasSameBytes<Value>(_ one: Value, _ other: Value) -> Bool {
    withUnsafeBytes(of: one) { one in withUnsafeBytes(of: other) { one.elementsEqual($0) } }
}
