import Synchronization

/// Actions that the app dispatches, and the answer to the caller: data that passes from the caller to the writer to the
/// engine.
///
/// `@unchecked`: it has one owner at a time, as every submission. `isForgotten` belongs to the engine.
final class DispatchRequest<Action: Sendable, State: Sendable>: Submission, @unchecked Sendable {
    enum Reply: Sendable {
        /// Resumes the task that waits for the answers.
        case task(UnsafeContinuation<Void, Never>)
        /// Signals the thread that waits for the answers.
        case thread(@Sendable () -> Void)
        /// Passes the first state that meets the condition, from this dispatch on.
        case until(@Sendable (State) -> Bool, @Sendable (Result<State, any Error>) -> Void)
    }

    /// The first action. Mostly it is the only one, and then there is no list.
    let first: Action
    let others: ArraySlice<Action>
    let priority: TaskPriority?
    let tracksFeedback: Bool
    /// Set before the request is admitted, to `until` if it waits for a state. Nil after the answer to such a caller.
    var reply: Reply?
    /// Ended with the answer.
    var span: OpenSpan?
    /// Stored after the answer and loaded before it is read, so the thread sanitizer sees the order: it does not see
    /// that of a continuation that is resumed before it is awaited.
    private let isAnswered = Atomic<Bool>(false)
    /// Whether it is answered with a state.
    let waitsForState: Bool
    /// Keeps the states around the first action, if the caller wants them.
    var states: StatesAround<State>?
    /// The caller does not wait for a state any more.
    var isForgotten = false
    private var failure: JournalError?
    private var firstAnswer: Dispatched<Action>?
    /// Not an empty array if there are none: each dispatch would look up the metadata of its type.
    private var otherAnswers: [Dispatched<Action>]?

    init(
        _ first: Action, others: ArraySlice<Action> = [], _ batch: Batch, to inbox: any Inbox,
        priority: TaskPriority? = nil, tracksFeedback: Bool = false, waitsForState: Bool = false
    ) {
        self.first = first
        self.others = others
        self.priority = priority
        self.tracksFeedback = tracksFeedback
        self.waitsForState = waitsForState
        super.init(batch, .inbox(inbox))
    }

    // MARK: The answer

    func succeed(_ first: Dispatched<Action>, _ others: [Dispatched<Action>]?) {
        (firstAnswer, otherAnswers) = (first, others)
        if let span = span.take() { end(span, step: first.step) }
        // One that waits for a state is answered with the state.
        if !waitsForState { resume() }
    }

    func fail(_ error: any Error) {
        failure = error as? JournalError
        if let span = span.take() { end(span, step: failure?.step, error) }
        if waitsForState { answer(.failure(error)) } else { resume() }
    }

    /// The caller has left. The action is reduced all the same.
    func stopWaiting() { answer(.failure(CancellationError())) }

    @inline(never)
    private func end(_ span: OpenSpan, step: Int?, _ error: (any Error)? = nil) {
        span.end(.dispatch) { span in
            (span.step, span.name, span.count) = (step, StoredName.ofCase(first), 1 + others.count)
            span.error = error.map { "\($0)" }
        }
    }

    private func resume() {
        guard takesAnswer() else { return }
        switch reply {
        case .task(let continuation): continuation.resume()
        case .thread(let signal): signal()
        case .until, nil: break
        }
    }

    /// Answers with a state, if it is the one that the request waits for.
    ///
    /// - Returns: whether the request was answered.
    func answer(with state: State) -> Bool {
        guard case .until(let condition, _) = reply, condition(state) else { return false }
        answer(.success(state))
        return true
    }

    private func answer(_ result: Result<State, any Error>) {
        guard case .until(_, let reply) = reply, takesAnswer() else { return }
        // It can stay in a list for long, and what the condition has captured belongs to the caller.
        self.reply = nil
        reply(result)
    }

    /// A continuation must not be resumed twice.
    private func takesAnswer() -> Bool {
        defer { isAnswered.store(true, ordering: .releasing) }
        return !isAnswered.load(ordering: .relaxed)
    }

    /// The answers, after the reply.
    ///
    /// - Parameter missing: the error if there is no answer.
    func answers(
        orThrow missing: @autoclosure () -> JournalError
    ) throws(JournalError) -> (first: Dispatched<Action>, others: [Dispatched<Action>]?) {
        guard isAnswered.load(ordering: .acquiring), let firstAnswer else { throw failure ?? missing() }
        return (firstAnswer, otherAnswers)
    }
}
