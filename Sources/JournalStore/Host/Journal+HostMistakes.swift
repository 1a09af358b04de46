// Overloads that explain a mistake where it was made. None of them can be called.

extension Journal {
    /// A machine with an environment, hosted without one.
    @available(*, unavailable, message: "the machine needs an environment. Pass 'environment:' after the machine.")
    public func host<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, clock: any Clock<Duration> = ContinuousClock(),
        observers: @escaping @Sendable (_ stream: String) -> [Observer<Action, State>] = { _ in [] },
        options: HostOptions = HostOptions()
    ) throws(JournalError) -> MachineHost<Action, State> {
        throw JournalError(.closed, "No environment.")
    }
}
