/// Actions that the app wants to have in the journal, with the one to be told.
///
/// `@unchecked`: it is one's at a time. The caller's until it is handed in; then the journal's, until it is committed; then the turn's,
/// until it is answered. `mustWork` alone belongs to the thread that hands it in.
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
    let actions: [Action]
    /// Changed, if at all, before it is handed in again.
    var batch: Batch
    let priority: TaskPriority?
    let tracksFeedback: Bool
    /// Set before it is handed in.
    var reply: Reply?
    /// Whether the caller has to work off the inbox once it is back from handing this in.
    private(set) var mustWork = false
    /// What the journal said.
    private(set) var result: Result<[Appended], JournalError> = .success([])
    /// Nobody waits for the state any more.
    var isForgotten = false
    private var failure: JournalError?
    private var answers: [Dispatched<Action>] = []

    init(
        _ core: Core<Action, State>, _ actions: [Action], _ batch: Batch, priority: TaskPriority? = nil,
        tracksFeedback: Bool = false, reply: Reply? = nil
    ) {
        self.core = core
        self.actions = actions
        self.batch = batch
        self.priority = priority
        self.tracksFeedback = tracksFeedback
        self.reply = reply
    }

    /// All of it is reduced.
    func succeed(_ answers: [Dispatched<Action>]) {
        self.answers = answers
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

    /// What it came to, once that was told.
    func answer() throws(JournalError) -> [Dispatched<Action>] {
        if let failure { throw failure }
        return answers
    }
}

extension DispatchRequest: Submission {
    func committed(_ result: Result<[Appended], JournalError>, isInPlace: Bool) {
        self.result = result
        guard core.add(self) else { return }
        // The thread that commits must not reduce: others wait for it. The caller's own does once it is back.
        if isInPlace { mustWork = true } else { core.workAside() }
    }
}

extension DispatchRequest: Arrival {
    var isAnsweredAfterTheEnd: Bool { true }

    func happen() { core.dispatched(self) }
}
