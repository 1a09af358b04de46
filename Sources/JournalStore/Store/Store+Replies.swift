extension Store {
    /// Dispatches an action and returns the reply: the transition it made, or that it was refused.
    ///
    /// A reply has the states before and after, so the reducer changes a copy: if a large state holds collections, each
    /// call costs as much as copying them. ``dispatch(_:id:cancelID:priority:trackingFeedback:)`` does not.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the dispatch ID. A second dispatch with the same ID gets the reply of the first one, from the journal:
    ///     whether it was rejected, and why. The states of steps before a base are those that this code computes, not
    ///     those that an older version replied.
    ///   - cancelID: an ID that cancels all effects of this dispatch and all that they lead to in its stream.
    /// - Throws: ``JournalError`` as ``dispatch(_:id:cancelID:priority:trackingFeedback:)``; also if the entry of a
    ///   repeated dispatch cannot be read any more.
    @concurrent public func reply(
        to action: Action, id: String? = nil, cancelID: (any EffectID)? = nil
    ) async throws(JournalError) -> Reply<Action, State> {
        let request = DispatchRequest<Action, State>(
            action, Batch(entries: [try engine.entry(action, id: id, cancelID: try engine.encodeCancelID(cancelID))]),
            to: engine)
        let states = StatesAround<State>()
        request.states = states
        let dispatched = try await answers(to: request).first
        guard let (before, after) = states.both else { return try await journaledReply(to: dispatched) }
        if case .rejected(let reason) = dispatched.outcome {
            return .failure(action, from: before, reason: reason)
        }
        return .success(action, from: before, to: after)
    }

    /// In a task of its own: in a cancelled one a sequence ends at once, as if the store had ended.
    private func journaledReply(
        to dispatched: Dispatched<Action>
    ) async throws(JournalError) -> Reply<Action, State> {
        let answer = AnswerBox<Reply<Action, State>>()
        await engine.options.spawn { [self] in
            await answer.fill { () async throws(JournalError) in
                var steps = transitions(from: dispatched.step).makeAsyncIterator()
                guard let found = try await steps.nextStep() else { throw engine.closedError }
                // What the present code decides about the step can be something else.
                return Reply(try found.transition.get(), rejection: dispatched.rejection)
            }
        }.value
        do throws(JournalError) { return try answer.wait() } catch {
            guard error.code == .noUsableSnapshot else { throw error }
            throw changed(error) {
                $0.step = dispatched.step
                $0.message =
                    "The dispatch was made before, as this step, but its states cannot be computed: \(error.message)"
                $0.advice = "`dispatch` with the same ID tells how the step ended. \(error.advice)"
            }
        }
    }

    /// The replies to past and new inputs in order, each exactly once, from dispatches and effects alike. Replies to
    /// past inputs are computed by this code.
    ///
    /// - Parameter step: the first step; by default the one after the newest.
    public func replies(
        from step: Int? = nil
    ) -> some AsyncSequence<Reply<Action, State>, JournalError> & Sendable {
        transitions(from: step).map { Reply($0) }
    }
}

/// The states before and after an action.
///
/// `@unchecked`: the engine writes it before it answers the request, and the caller reads it after the answer.
final class StatesAround<State: Sendable>: @unchecked Sendable {
    private var before: State?
    private var after: State?

    // Outlined: they look up generic metadata, and few dispatches need them.

    @inline(never)
    func noteBefore(_ state: State) { before = state }

    @inline(never)
    func noteAfter(_ state: State) { after = state }

    var both: (State, State)? {
        guard let before, let after else { return nil }
        return (before, after)
    }
}
