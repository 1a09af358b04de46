/// A function that a store calls after each new step, in order, outside of the reducer.
struct Middleware<Action: Sendable, State: Sendable>: Sendable {
    let call: @concurrent @Sendable (Transition<Action, State>) async throws -> Void
}

/// What the tasks of a middleware's calls know: whatever waits for the middleware must not be waited for there.
enum MiddlewareCall {
    /// The engine of the store whose middleware is called.
    @TaskLocal static var store: ObjectIdentifier?
}

extension JournalOptions {
    /// Starts a task that still knows by which middleware it was started, as a task of its own otherwise would not.
    func spawnInMiddlewareCall(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard let store = MiddlewareCall.store else { return spawn(body) }
        return spawn { await MiddlewareCall.$store.withValue(store) { await body() } }
    }
}
