extension Store where State: Equatable {
    /// Dispatches an action and returns once the state is equal to a value, after it or later.
    ///
    /// - Throws: as when waiting for a condition.
    @discardableResult
    @concurrent public func dispatch(_ action: Action, id: String? = nil, until state: State) async throws -> State {
        try await dispatch(action, id: id) { $0 == state }
    }

    /// Dispatches an action and returns the first state that is one of several: the one after it or a later one.
    ///
    /// - Throws: as when waiting for a condition.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, id: String? = nil, until states: OneOf<State>
    ) async throws -> State {
        try await dispatch(action, id: id, until: states.pattern.test)
    }

    /// Dispatches an action and returns the first state of a case: the one after it or a later one.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the dispatch ID.
    ///   - constructor: the case's constructor, as `State.closing(persons:)`.
    /// - Throws: as when waiting for a condition.
    @discardableResult
    @concurrent public func dispatch<Payload: Sendable>(
        _ action: Action, id: String? = nil, until constructor: @escaping @Sendable (Payload) -> State
    ) async throws -> State {
        try await dispatch(action, id: id, until: OneOf(.case(constructor)))
    }
}
