extension MachineHost {
    /// Dispatches an action to a stream and returns the reply: the transition it made, or that it was refused.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - stream: the stream's name. It is created if there is none.
    ///   - id: the dispatch ID. A second dispatch with the same ID gets the reply of the first one, from the journal:
    ///     whether it was rejected, and why. The states of steps before a base are those that this code computes, not
    ///     those that an older version replied.
    ///   - cancelID: an ID that cancels all effects of this dispatch and all that they lead to.
    ///   - ifFull: what to do if as many dispatches are under way as the options allow.
    /// - Throws: ``JournalError`` as ``dispatch(_:to:id:cancelID:priority:trackingFeedback:ifFull:)``; also if the
    ///   entry of a repeated dispatch cannot be read any more.
    @concurrent public func reply(
        to action: Action, of stream: String, id: String? = nil, cancelID: (any EffectID)? = nil,
        ifFull: IfFull = .wait
    ) async throws(JournalError) -> Reply<Action, State> {
        try checkDispatchID(id, stream)
        try await enter(ifFull, stream)
        defer { leave() }
        let store = try await store(of: stream)
        defer { measureIfDue(stream, store) }
        do throws(JournalError) { return try await store.reply(to: action, id: id, cancelID: cancelID) } catch {
            throw ofHost(error, stream)
        }
    }
}

extension MachineHost where State: Equatable {
    /// Dispatches an action to a stream and returns once its state is equal to a value, after the action or later.
    ///
    /// - Throws: as when waiting for a condition.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, to stream: String, id: String? = nil, until state: State
    ) async throws -> State {
        try await dispatch(action, to: stream, id: id) { $0 == state }
    }

    /// Dispatches an action to a stream and returns the first state that is one of several: the one after the action or
    /// a later one.
    ///
    /// - Throws: as when waiting for a condition.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, to stream: String, id: String? = nil, until states: OneOf<State>
    ) async throws -> State {
        try await dispatch(action, to: stream, id: id, until: states.pattern.test)
    }

    /// Dispatches an action to a stream and returns the first state of a case: the one after the action or a later one.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - stream: the stream's name.
    ///   - id: the dispatch ID.
    ///   - constructor: the case's constructor, as `State.closing(persons:)`.
    /// - Throws: as when waiting for a condition.
    @discardableResult
    @concurrent public func dispatch<Payload: Sendable>(
        _ action: Action, to stream: String, id: String? = nil,
        until constructor: @escaping @Sendable (Payload) -> State
    ) async throws -> State {
        try await dispatch(action, to: stream, id: id, until: OneOf(.case(constructor)))
    }
}
