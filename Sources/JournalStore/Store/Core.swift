import Synchronization

/// A machine at work. Events arrive from any thread, in the order of the journal where they come from it, and are worked off one
/// at a time by whoever finds nobody at work: no lock is held meanwhile, and no thread of its own is needed.
///
/// `@unchecked`: `turn` and `state` are touched only between taking the turn and giving it back, and both go through the inbox's lock.
final class Core<Action: Sendable, State: Sendable>: TurnTaker, @unchecked Sendable {
    typealias Request = DispatchRequest<Action, State>
    typealias Send = SendRequest<Action>

    /// What is not a dispatch. Each in a box of its own, so that what holds them has a size that does not depend on the machine.
    indirect enum Event: Sendable {
        /// A body wants to send.
        case send(Send)
        /// What a body sent is committed, or is not.
        case sent(Send, EffectRun?, Result<[Appended], JournalError>)
        /// A body has ended without a last word.
        case bodyEnded(RunKey, attempt: Int, (any Error)?)
        /// A body wants a result to be remembered.
        case remember(RememberedStep, attempt: Int, @Sendable (Result<Void, any Error>) -> Void)
        /// There was no room for it.
        case notRemembered(RememberedStep, Int, @Sendable (Result<Void, any Error>) -> Void)
        /// Another machine sends something.
        case receive(Delivery)
        /// Another machine has what this one sent, or has not.
        case delivered(RunKey, EffectRun, Delivery.Outcome)
        /// Something is due.
        case tick
        /// The opening has not ended early.
        case hasLived
        /// What the app wants to know or to be done with single effects.
        case list(@Sendable (Result<[EffectRun], JournalError>) -> Void)
        case intervene(
            Intervention.Act, RunKey, Recovery<Action, State>.Found?, @Sendable (Result<Void, JournalError>) -> Void)
        /// Records are on the disk, or are not.
        case written(Result<Int, JournalError>)
        case cancel(Cancellation, @Sendable (Result<Void, JournalError>) -> Void)
        /// Nobody waits for this any more.
        case forget(Request)
        case flush(@Sendable (Result<Void, JournalError>) -> Void)
        case close(@Sendable () -> Void)
        /// The last reference is gone.
        case abandon
        // The three parts of a recovery.
        case restore(Recovery<Action, State>.Past, @Sendable (Result<Void, JournalError>) -> Void)
        case resettle([Recovery<Action, State>.Unsettled], @Sendable (Result<Void, JournalError>) -> Void)
        case resume(
            [(Recovery<Action, State>.Found, Fate<Action>)], orphaned: [EffectRun],
            @Sendable (Result<Void, JournalError>) -> Void)
    }

    /// What the app wants to be cancelled.
    enum Cancellation: Sendable {
        case id(AnyEffectID)
        case condition(@Sendable (AnyEffectID?) -> Bool)
        case root(Int)
    }

    let program: Program<Action, State>
    let stream: JournalStream
    let info: StreamInfo
    /// For errors.
    let place: Place
    let ticker: Ticker
    let observers: [Observer<Action, State>]
    /// Whether anybody is to be told of each step.
    let isWatched: Bool
    let published: Published<State>
    let pending: Pending
    /// Where the sidecar is told which step is reduced.
    let marks: StepMarks?
    let entrance = Entrance<Request, Send>()
    /// The state after the newest step that is reduced. Touched by whoever has the turn.
    var state: State
    var turn = Turn<Action, State>()
    /// Cancels everything that a step led to: one for all dispatches, so that none makes its own. Read by whoever has the turn.
    private(set) lazy var cancelling: @Sendable (Int) async throws(JournalError) -> Void = {
        [weak self] step throws(JournalError) in try await self?.cancel(.root(step))
    }
    /// Whether nobody needs to know any more how long this opening lived.
    private let stable = Atomic(false)
    private let inbox = Lock(Mailbox<any Arrival>())
    /// Who has the turn, so that a reducer that would wait for itself is told.
    private let worker = Atomic<UInt>(0)

    init(
        _ program: Program<Action, State>, stream: JournalStream, ticker: Ticker,
        observers: [Observer<Action, State>], state: State, step: Int
    ) {
        self.program = program
        self.stream = stream
        info = stream.info
        place = Place(file: stream.journal.file, stream: stream.name)
        self.ticker = ticker
        self.observers = observers
        isWatched = !observers.isEmpty || !program.outlets.isEmpty
        marks = stream.journal.writer.marks
        published = Published(state, step: step)
        pending = Pending(stream: stream.id, writer: stream.journal.writer, mark: stream.settled)
        self.state = state
        turn.step = step
        pending.connect { [weak self] in self?.arrived(.written($0)) }
    }

    var moment: Moment { Moment(tick: ticker.now(), date: stream.journal.options.clock()) }
    var isStable: Bool {
        get { stable.load(ordering: .relaxed) }
        set { stable.store(newValue, ordering: .relaxed) }
    }
    var isWorkingHere: Bool { worker.load(ordering: .relaxed) == Platform.thread }

    func encode(_ action: Action) throws(JournalError) -> String { try program.encode(action, place) }

    // MARK: Coming in

    /// Hands in what the app dispatches.
    func submit(_ request: Request) {
        let (isRefused, mayPass) = entrance.withLock { entrance in
            if entrance.isClosed { return (true, false) }
            if entrance.lane.pass() { return (false, true) }
            wait(request, entrance)
            return (false, false)
        }
        if isRefused { return request.fail(refusal) }
        guard mayPass else { return }
        stream.journal.writer.submit(request)
        if request.mustWork { workInPlace() }
    }

    /// In a function of its own, where the types it needs are looked up only then.
    @inline(never)
    private func wait(_ request: Request, _ entrance: Entrance<Request, Send>) {
        entrance.lane.wait(request)
    }

    /// An event, from a thread that can do the work.
    func post(_ event: Event) {
        if add(Posted(event, to: self)) { workInPlace() }
    }

    /// An event, from a thread that has no time.
    func arrived(_ event: Event) {
        if add(Posted(event, to: self)) { workAside() }
    }

    /// - Returns: whether the caller has to see to it that the inbox is worked off.
    func add(_ arrival: any Arrival) -> Bool { inbox.withLock { $0.add(arrival) } }

    // MARK: Taking turns

    /// What waits at this moment, and no more: the rest is for a task of its own.
    private func workInPlace() {
        workOnce()
        if !inbox.withLock({ $0.stopIfEmpty() }) { workAside() }
    }

    private func workAside() {
        stream.journal.writer.turns.add([self])
    }

    /// - Returns: how much there was to do.
    @discardableResult
    private func workOnce() -> Int {
        guard let arrivals = inbox.withLock({ $0.next(fitting: 1024) { _ in 1 } }) else { return 0 }
        worker.store(Platform.thread, ordering: .relaxed)
        turn.mark = marks?.take()
        for arrival in arrivals where !turn.isOver || arrival.isAnsweredAfterTheEnd { arrival.happen() }
        if let mark = turn.mark { marks?.giveBack(mark) }
        published.tell()
        lookAfter()
        keep()
        finishClosing()
        setSleeper()
        worker.store(0, ordering: .relaxed)
        return arrivals.count
    }

    func takeTurn() -> TurnEnd {
        if workOnce() > 1 { return .moreLater }
        return inbox.withLock { $0.stopIfEmpty() } ? .done : .more
    }
}
