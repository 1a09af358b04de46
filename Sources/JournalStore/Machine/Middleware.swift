/// A function that a store calls after each new step, in order, outside of the reducer.
struct Middleware<Action: Sendable, State: Sendable>: Sendable {
    let call: @concurrent @Sendable (Transition<Action, State>) async throws -> Void
}
