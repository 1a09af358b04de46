extension Runtime {
    /// Registers a function that gets each state that the machine enters.
    ///
    /// It runs outside of the machine, after the step, one step after the other; never on a replay, and not for the
    /// steps that an opening reduces again. So it gets each state at most once. The type of an error that it throws is
    /// reported to `Journal.Options.report`, and the machine goes on.
    ///
    /// The end of its store waits for it: it must not wait for a task that closes the store, its host or the journal. It
    /// can close them itself.
    public func register(middleware: @escaping @concurrent @Sendable (State) async throws -> Void) -> Runtime {
        adding(
            stateFunction: Middleware { step in
                if step.rejection == nil, !step.isSkipped { try await middleware(step.after) }
            })
    }

    /// Registers a function that gets each event that reaches the machine, also one that it rejects.
    ///
    /// It runs when a function for states does, and before those: a step's event comes before the state that it leads to.
    public func register(middleware: @escaping @concurrent @Sendable (Event) async throws -> Void) -> Runtime {
        adding(
            eventFunction: Middleware { step in
                if !step.isSkipped { try await middleware(step.action) }
            })
    }
}
