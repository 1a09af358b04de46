/// Actions that the app dispatches, and the answer to the caller: data that passes from the caller to the writer to the engine.
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
    /// Set before the request is admitted.
    var reply: Reply?
    /// The caller does not wait for a state any more.
    var isForgotten = false
    private var failure: JournalError?
    private var firstAnswer: Dispatched<Action>?
    private var otherAnswers: [Dispatched<Action>] = []

    init(
        _ first: Action, others: ArraySlice<Action> = [], _ batch: Batch, to inbox: any Inbox,
        priority: TaskPriority? = nil, tracksFeedback: Bool = false, reply: Reply? = nil
    ) {
        self.first = first
        self.others = others
        self.priority = priority
        self.tracksFeedback = tracksFeedback
        self.reply = reply
        super.init(batch, .inbox(inbox))
    }

    /// Whether it is answered with a state.
    var waitsForState: Bool { if case .until = reply { true } else { false } }

    // MARK: The answer

    func succeed(_ first: Dispatched<Action>, _ others: [Dispatched<Action>]) {
        (firstAnswer, otherAnswers) = (first, others)
        resume()
    }

    func fail(_ error: JournalError) {
        failure = error
        if case .until(_, let reply) = reply { reply(.failure(error)) } else { resume() }
    }

    private func resume() {
        switch reply {
        case .task(let continuation): continuation.resume()
        case .thread(let signal): signal()
        case .until, nil: break
        }
    }

    /// The answers, after the reply.
    ///
    /// - Parameter missing: the error if there is no answer.
    func answers(
        orThrow missing: @autoclosure () -> JournalError
    ) throws(JournalError) -> (first: Dispatched<Action>, others: [Dispatched<Action>]) {
        guard let firstAnswer else { throw failure ?? missing() }
        return (firstAnswer, otherAnswers)
    }
}
