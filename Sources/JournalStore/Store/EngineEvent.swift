/// Anything but a dispatch that a store's engine processes. Boxed, so that its size does not depend on the machine.
indirect enum EngineEvent<Action: Sendable, State: Sendable>: Sendable {
    typealias Reply = @Sendable (Result<Void, JournalError>) -> Void

    // From bodies.
    /// A run wants an action committed.
    case send(SendRequest<Action>)
    /// The body of a run has ended without a final action.
    case bodyEnded(RunKey, attempt: Int, (any Error)?)
    /// A body has ended because it called a host that was being closed, and its own store was not closed since.
    case bodyRefused(RunKey, attempt: Int, JournalError)
    /// A body has a result to be remembered.
    case remember(RememberedStep, attempt: Int, @Sendable (Result<Void, any Error>) -> Void)

    // From the writer.
    /// The result of committing an action of a run.
    case sent(SendRequest<Action>, SentAs, Result<[Appended], JournalError>)
    /// A result could not be remembered, but may be later.
    case notRemembered(RememberedStep, attempt: Int, JournalError, @Sendable (Result<Void, any Error>) -> Void)
    /// How many changes of the scheduler are on the disk, or why they are not.
    case written(Result<Int, JournalError>)

    // From other machines.
    /// Another machine sends a message.
    case receive(Delivery)
    /// The outcome of a message that this machine sent.
    case delivered(RunKey, EffectRun, Delivery.Outcome)

    // From the clock.
    /// Something that was due at this time.
    case tick(Duration)
    /// The opening has lasted long enough to be stable.
    case stableTimeReached

    // From the app.
    /// The runs that have not ended; ephemeral ones only if they are asked for.
    case list(ephemeral: Bool, @Sendable (Result<[EffectRun], JournalError>) -> Void)
    /// An intervention; with a run that had ended, restored.
    case intervene(Intervention.Act, RunKey, RecoveredRun<Action>?, Intervention.Remarks, Reply)
    case cancel(Cancellation, Reply)
    /// The caller does not wait for this dispatch any more.
    case forget(DispatchRequest<Action, State>)
    case flush(Reply)
    case join(Join)
    /// The caller does not wait any more.
    case leave(Join)
    case close(Reply)
    /// Cuts off the bodies of a store that is about to be closed.
    case stopBodies(@Sendable () -> Void)
    /// Closes the store if nothing happens in it. Answered with when it is needed again; nil if it stays open.
    case closeIfIdle(@Sendable (WakePlan?) -> Void)
    /// The store was released.
    case abandon

    // The three parts of a recovery.
    case restore(Recovery<Action, State>.Past, Reply)
    /// Answered with the base of a new version, if one was written together with the steps.
    case resettle(
        [Recovery<Action, State>.Unsettled], owesBase: Bool, @Sendable (Result<NewSnapshot?, JournalError>) -> Void)
    case resume([(RecoveredRun<Action>, RestartDecision<Action>)], orphaned: [EffectRun], Reply)

    /// How an action of a run was committed.
    enum SentAs: Sendable {
        /// With this record of its run, if that has one.
        case recorded(EffectRun?)
        /// Without a record of its run. When its turn comes, it counts if the run is still live, and then the run ends.
        case provisional
    }

    /// Which runs the app cancels.
    enum Cancellation: Sendable {
        case id(AnyEffectID)
        case condition(@Sendable (AnyEffectID?) -> Bool)
        case root(Int)
    }

    /// Whether a caller waits for an answer, also after the end of the store.
    var needsAnswer: Bool {
        switch self {
        case .send, .sent, .remember, .notRemembered, .receive, .list, .intervene, .cancel, .flush, .join, .close,
            .stopBodies, .closeIfIdle, .abandon, .restore, .resettle, .resume:
            true
        case .bodyEnded, .bodyRefused, .delivered, .tick, .stableTimeReached, .written, .forget, .leave: false
        }
    }

    /// Whether it changes the record of a run. Such an event waits while an action of a run is being committed with a
    /// record.
    var changesRecords: Bool {
        switch self {
        case .bodyEnded, .bodyRefused, .cancel, .intervene, .close, .stopBodies: true
        default: false
        }
    }
}

/// An event in an inbox. `@unchecked`: it is constant.
final class PostedEvent<Action: Sendable, State: Sendable>: InboxItem, @unchecked Sendable {
    let event: EngineEvent<Action, State>

    init(_ event: EngineEvent<Action, State>) {
        self.event = event
        super.init()
    }
}
