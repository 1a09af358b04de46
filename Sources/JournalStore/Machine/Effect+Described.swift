// Described effects, and modifiers for every kind of effect.

extension Effect {
    /// Lets the reducer's handler for the value's type perform it; add the handler with `.handling(Job.self) { … }`.
    ///
    /// It has the same records and guarantees as a closure effect, but the value itself is recorded: after a restart it
    /// is decoded, and its step is not reduced again. So it survives changes of the surrounding code and keeps no
    /// history from being pruned. A closure is shorter to write and can capture anything.
    ///
    /// - Parameters:
    ///   - value: the work to do.
    ///   - name: the effect's name in the journal; by default the value's case, or its type if it is not an enum.
    ///   - id: the ID that cancels the effect.
    ///   - queue: the queue that limits how many effects run at once.
    ///   - priority: the task's priority; by default that of the dispatch.
    ///   - delay: the minimum time between the step and the start.
    ///   - restart: what a restart does with the effect.
    ///   - retry: whether the effect is retried when it throws.
    public static func perform(
        _ value: some Codable & Sendable, name: String? = nil, id: (any EffectID)? = nil,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil, delay: Duration = .zero,
        restart: Restart = .resume, retry: RetryPolicy = .never
    ) -> Effect {
        let found = name.map { StoredName.CaseName(name: $0) } ?? StoredName.caseName(of: value)
        return Effect(
            Run(
                name: found.name, earlierName: found.earlierName, id: id.map(AnyEffectID.init), queue: queue,
                priority: priority,
                delay: delay, restart: restart, retry: retry, work: .described(Description(value), nil)))
    }
}

extension Effect {
    /// Dispatches an action when one of these effects has finally failed, in the transaction that records the failure.
    /// It replaces an action that the effect had for this: what a parent adds replaces that of its part.
    public func onFailure(_ action: Action) -> Effect {
        changingRuns { $0.failure = .action(action) }
    }

    /// Dispatches an action when one of these effects has finally failed, in the transaction that records the failure.
    /// It replaces an action that the effect had for this. A described effect becomes a closure effect, because a
    /// function cannot be recorded.
    ///
    /// - Parameter action: returns the action to dispatch, if any.
    public func onFailure(_ action: @escaping @Sendable (any Error) -> Action?) -> Effect {
        changingRuns { run in
            run.failure = .closure(action)
            // Without a body it stays described until its reducer's handler is found.
            if case .described(_, let body?) = run.work { run.work = .closure(body) }
        }
    }

    /// Dispatches an action when one of these effects is cancelled: by the reducer, by the app or an operator, by a
    /// restart policy, or because a newer effect of its queue replaces it. If the effect ends by `restart: .dispatch`
    /// or by `onOrphan`, the action of that is dispatched instead of this one. It replaces an
    /// action that the effect had for this.
    ///
    /// The cancellation is recorded first, and the action is committed once, with the end of the effect's record. If
    /// the process ends in between, the next opening sends it. It is also sent if the body never began: what it undoes
    /// may not have happened, so undo by the effect's ``EffectContext/idempotencyKey``.
    public func onCancel(_ action: Action) -> Effect {
        changingRuns { $0.cancel = action }
    }

    /// Dispatches an action when a restart finds that the code no longer returns this effect, and ends its record. An effect
    /// that waits for a decision goes on waiting.
    public func onOrphan(_ action: Action) -> Effect {
        changingRuns { $0.orphan = action }
    }

    func changingRuns(_ change: (inout Run) -> Void) -> Effect {
        Effect(
            parts: parts.map { part in
                guard case .run(var run) = part else { return part }
                change(&run)
                return .run(run)
            })
    }
}
