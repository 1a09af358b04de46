/// Where an ``On`` leads: the state that the machine enters.
public struct Move<State: Sendable>: Sendable {
    @usableFromInline let state: State

    /// Leads to a state.
    public init(to state: State) {
        self.state = state
    }
}
