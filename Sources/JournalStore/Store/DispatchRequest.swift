/// Actions that the app wants to have in the journal, with the one to be told.
final class DispatchRequest<Action: Sendable, State: Sendable>: @unchecked Sendable {
    enum Reply: Sendable {
        case dispatched(@Sendable (Result<[Dispatched<Action>], JournalError>) -> Void)
        /// Told of the first state that meets the condition, from this dispatch on.
        case until(@Sendable (State) -> Bool, @Sendable (Result<State, any Error>) -> Void)
    }

    let actions: [Action]
    /// Changed, if at all, by whoever has the turn, and before it is handed in again.
    var batch: Batch
    let priority: TaskPriority?
    let tracksFeedback: Bool
    let reply: Reply
    /// Whether the caller has to work off the inbox once it is back from handing this in. Written and read by the thread that
    /// hands it in, and by no other.
    var mustWork = false
    /// Nobody waits for the state any more. Touched by whoever has the turn.
    var isForgotten = false

    init(
        _ actions: [Action], _ batch: Batch, priority: TaskPriority? = nil, tracksFeedback: Bool = false, reply: Reply
    ) {
        self.actions = actions
        self.batch = batch
        self.priority = priority
        self.tracksFeedback = tracksFeedback
        self.reply = reply
    }

    func fail(_ error: JournalError) {
        switch reply {
        case .dispatched(let reply): reply(.failure(error))
        case .until(_, let reply): reply(.failure(error))
        }
    }
}
