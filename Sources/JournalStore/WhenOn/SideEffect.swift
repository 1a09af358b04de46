/// What a ``Runtime`` does for some outputs.
struct SideEffect<State: Sendable, Event: Sendable, Output: Sendable>: Sendable {
    /// Returns what to do for an output; nil if the side effect is for others.
    typealias Work = @Sendable (Output) -> Effect<Event>.Body?

    let queue: (any EffectQueue)?
    let priority: TaskPriority?
    let strategy: SideEffectStrategy<State>
    let restart: Effect<Event>.Restart
    let retry: RetryPolicy
    let work: Work
}

extension Effect {
    /// A body that sends the actions of a sequence.
    static func sending<Actions: AsyncSequence & SendableMetatype>(
        _ makeSequence: @escaping @concurrent @Sendable (EffectContext) async throws -> Actions
    ) -> Body where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        { send, context in
            for try await action in try await makeSequence(context) { try await send(action) }
            return nil
        }
    }

    /// A body that sends the actions of a sequence which are not in the journal yet.
    static func sendingNew<Actions: AsyncSequence & SendableMetatype>(
        _ makeSequence: @escaping @concurrent @Sendable () async throws -> Actions
    ) -> Body where Actions.Element == Action, Actions.AsyncIterator: SendableMetatype {
        sending { context in context.undelivered(try await makeSequence()) }
    }
}
