// Effects that are recorded whole, and what any can be given.

extension Effect {
    /// Has a value performed by the reducer's handler for its type; say `.handling(Job.self) { … }` behind it.
    ///
    /// It lives like a closure, under the same records and guarantees. But it is recorded whole: after a restart it is read, and not had
    /// again by reducing its step. So it outlives changes of the code around it, and keeps no history from being pruned. A closure is
    /// shorter to write and can hold anything.
    ///
    /// - Parameters:
    ///   - value: what is to be done.
    ///   - name: what it is called in the journal; by default the value's case.
    ///   - id: what it can be cancelled by.
    ///   - queue: how many like it run at once.
    ///   - priority: of the task; by default that of the dispatch.
    ///   - delay: how long after the step it starts at the earliest.
    ///   - restart: what a restart does with it.
    ///   - retry: whether it is tried again when it throws.
    public static func perform(
        _ value: some Codable & Sendable, name: String? = nil, id: (any EffectID)? = nil,
        queue: (any EffectQueue)? = nil, priority: TaskPriority? = nil, delay: Duration = .zero,
        restart: Restart = .resume, retry: RetryPolicy = .never
    ) -> Effect {
        Effect(
            Run(
                name: name ?? StoredName.ofCase(value), id: id.map(AnyEffectID.init), queue: queue, priority: priority,
                delay: delay, restart: restart, retry: retry, work: .described(Description(value), nil)))
    }
}

extension Effect {
    /// Dispatches an action when one of these effects has failed, for the last time: together with the record of that.
    public func onFailure(_ action: Action) -> Effect {
        changingRuns { $0.failure = .action(action) }
    }

    /// Dispatches an action when one of these effects has failed, for the last time: together with the record of that. A described effect
    /// becomes a closure by it, as a function cannot be recorded.
    ///
    /// - Parameter action: says which, if any.
    public func onFailure(_ action: @escaping @Sendable (any Error) -> Action?) -> Effect {
        changingRuns { run in
            run.failure = .closure(action)
            if case .described(let description, let body) = run.work {
                run.work = .closure(body ?? { _, _ in throw description.noHandler })
            }
        }
    }

    /// Dispatches an action when a restart finds that the code has no such effect any more, and ends its record.
    public func onOrphan(_ action: Action) -> Effect {
        changingRuns { $0.orphan = action }
    }

    private func changingRuns(_ change: (inout Run) -> Void) -> Effect {
        Effect(
            parts: parts.map { part in
                guard case .run(var run) = part else { return part }
                change(&run)
                return .run(run)
            })
    }
}
