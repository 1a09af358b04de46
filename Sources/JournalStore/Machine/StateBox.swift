/// A state on the heap, so that it can be handed over without being copied, and changed in place.
///
/// `@unchecked`: changed only by a ``ReducedState`` that has the only reference to it.
final class StateBox<State: Sendable>: @unchecked Sendable {
    var state: State

    init(_ state: State) {
        self.state = state
    }
}
