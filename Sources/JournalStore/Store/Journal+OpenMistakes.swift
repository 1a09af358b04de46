// Openings that do not fit, with a message that says what does: docs/compiler-messages.md.

extension Journal {
    /// A machine with an environment, opened without one.
    @available(*, unavailable, message: "the machine needs an environment. Pass 'environment:' after 'stream:'.")
    @concurrent public func open<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, stream name: String,
        clock: any Clock<Duration> = ContinuousClock(), observers: [Observer<Action, State>] = [],
        options: OpenOptions = OpenOptions()
    ) async throws(JournalError) -> Store<Action, State> {
        throw JournalError(.closed, "No environment.")
    }

    /// A machine without an environment, opened with one.
    @available(*, unavailable, message: "the environment of this machine is Void. Leave out 'environment:'.")
    @concurrent public func open<Action, State, Environment>(
        _ machine: Machine<Action, State, Void>, stream name: String, environment: Environment,
        clock: any Clock<Duration> = ContinuousClock(), observers: [Observer<Action, State>] = [],
        options: OpenOptions = OpenOptions()
    ) async throws(JournalError) -> Store<Action, State> {
        throw JournalError(.closed, "No environment.")
    }
}
