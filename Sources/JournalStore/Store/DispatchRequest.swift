/// Actions that the app wants to have in the journal, with the one to be told.
///
/// `@unchecked`: what changes is the caller's until it is handed in, then the journal's until it is committed, then the turn's until it
/// is answered. `mustWork` belongs to the thread that hands it in, `isForgotten` to the turn at any time.
final class DispatchRequest<Action: Sendable, State: Sendable>: @unchecked Sendable {
    enum Reply: Sendable {
        /// A task that waits for the answers.
        case task(UnsafeContinuation<Void, Never>)
        /// A thread that does.
        case thread(@Sendable () -> Void)
        /// Told of the first state that meets the condition, from this dispatch on.
        case until(@Sendable (State) -> Bool, @Sendable (Result<State, any Error>) -> Void)
    }

    private let core: Core<Action, State>
    /// The first, or only one: most often there is no other, and then nothing is kept in lists.
    private let first: Action
    private let others: ArraySlice<Action>
    /// Changed, if at all, before it is handed in again.
    var batch: Batch
    let priority: TaskPriority?
    let tracksFeedback: Bool
    /// Set before it is handed in.
    var reply: Reply?
    /// Whether the caller has to work off the inbox once it is back from handing this in.
    private(set) var mustWork = false
    /// Whether it is answered by a state.
    var waitsForState: Bool { if case .until = reply { true } else { false } }
    /// What the journal said.
    private(set) var appended: Result<ArraySlice<Appended>, JournalError> = .success([])
    /// Nobody waits for the state any more.
    var isForgotten = false
    private var failure: JournalError?
    private var firstAnswer: Dispatched<Action>?
    private var otherAnswers: [Dispatched<Action>] = []

    init(
        _ core: Core<Action, State>, _ first: Action, others: ArraySlice<Action> = [], _ batch: Batch,
        priority: TaskPriority? = nil,
        tracksFeedback: Bool = false, reply: Reply? = nil
    ) {
        self.core = core
        self.first = first
        self.others = others
        self.batch = batch
        self.priority = priority
        self.tracksFeedback = tracksFeedback
        self.reply = reply
    }

    /// The action, where it is one.
    var only: Action? { others.count == 0 ? first : nil }

    /// Reduces all of it, one after the other, and tells the caller.
    ///
    /// - Parameter reduce: given each action and its place in the batch.
    func answer(_ reduce: (Action, Int) -> Dispatched<Action>) {
        firstAnswer = reduce(first, 0)
        if others.count > 0 {
            otherAnswers = [Dispatched<Action>](unsafeUninitializedCapacity: others.count) { answers, count in
                for action in others {
                    answers.initializeElement(at: count, to: reduce(action, count + 1))
                    count += 1
                }
            }
        }
        tell()
    }

    func fail(_ error: JournalError) {
        failure = error
        if case .until(_, let reply) = reply { reply(.failure(error)) } else { tell() }
    }

    private func tell() {
        switch reply {
        case .task(let continuation): continuation.resume()
        case .thread(let signal): signal()
        case .until, nil: break
        }
    }

    /// What the only action came to, or the first, once that was told.
    func result() throws(JournalError) -> Dispatched<Action> {
        // One of the two is there once it was told.
        guard let firstAnswer else { throw failure ?? core.closedError }
        return firstAnswer
    }

    /// What all of them came to, once that was told.
    func results() throws(JournalError) -> [Dispatched<Action>] {
        [try result()] + otherAnswers
    }
}

extension DispatchRequest: Submission {
    var isEmpty: Bool { false }

    func committed(
        _ result: Result<ArraySlice<Appended>, JournalError>, isInPlace: Bool
    ) -> (any TurnTaker)? {
        appended = result
        guard core.add(self) else { return nil }
        // The thread that commits must not reduce: others wait for it. The caller's own does once it is back.
        if !isInPlace { return core }
        mustWork = true
        return nil
    }
}

extension DispatchRequest: Arrival {
    var isAnsweredAfterTheEnd: Bool { true }

    func happen() { core.dispatched(self) }
}
