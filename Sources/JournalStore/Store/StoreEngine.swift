import Synchronization

/// Runs a machine on a stream: reduces committed entries, settles them and runs their effects, one event at a time.
///
/// A dispatch flows one way through it: admit, commit (the writer), reduce, settle, start, answer. Events arrive in the
/// inbox from any thread. There is no dedicated thread: the one that adds to an idle inbox drains it, holding no lock.
///
/// `@unchecked`: everything below "While draining" is used only by the draining thread; the inbox's lock hands it over.
final class StoreEngine<Action: Sendable, State: Sendable>: Inbox, OpenStore, @unchecked Sendable {
    typealias Event = EngineEvent<Action, State>
    typealias Request = DispatchRequest<Action, State>
    typealias Send = SendRequest<Action>

    let program: Program<Action, State>
    let stream: JournalStream
    let ticker: Ticker
    let observers: [Observer<Action, State>]
    /// Whether observers or links need each transition.
    let isObserved: Bool
    /// Whether the opening ignored the bases.
    let crossesBases: Bool
    /// Whether spans are wanted.
    let isTraced: Bool
    /// Whether this opening is stable.
    private let stable = Atomic(false)
    /// Checks the reducer, which reduces each step a second time; nil in release builds.
    let reducerChecks: ReducerChecks?
    let broadcast: StateBroadcast<State>
    /// Where the sidecar learns which step is being reduced.
    let marks: StepMarks?
    /// What all effects emit.
    let outputs = LazyOutputLog()
    let gate = AdmissionGate<Request, Send>()
    /// The task that calls the machine's middleware. Set once, at the opening.
    var middleware: Task<Void, Never>?
    private let inbox = Lock(Mailbox<InboxItem>())
    /// The thread that drains the inbox, to detect a reducer that would wait for itself.
    private let drainingThread = Atomic<UInt>(0)

    // While draining.
    var scheduler: Scheduler {
        _read { yield lazyScheduler.scheduler }
        _modify { yield &lazyScheduler.scheduler }
    }
    private(set) var lazyScheduler: LazyScheduler
    var recorder: OutcomeRecorder
    var effects = EffectTable<Action, State>()
    var dispatches = DispatchTable<Action>()
    /// Requests that wait for a state.
    var waitingForState = WaitingCallers<Request>() {
        didSet { isWaitedFor = !waitingForState.isEmpty }
    }
    /// The callers of `join`; nil while there are none.
    var joins: Joins?
    /// Events that wait until a send is committed.
    var deferredEvents: [Event] = []
    var fullDisk = FullDisk<Event>()
    /// The newest failure to write records that was reported.
    var reportedFailure: Boxed<JournalError>?
    var sleeper: (until: Duration, task: Task<Void, Never>)?
    var closeReplies: [Event.Reply] = []
    /// Why a reducer could not read the state of its own store. Its step is not kept then.
    var failedRead: Boxed<JournalError>?
    /// This drain's slot among the sidecar's marks.
    var mark: Int?
    private(set) var isWaitedFor = false
    /// Deferred events are being handled.
    var holdsSends = false
    /// Whether the opening has not resumed the effects yet: nothing is submitted, nothing starts, and operators wait.
    var isRecovering: Bool
    /// Whether its opening was finished.
    let wasOpened = Atomic(false)
    /// Whether the base of a new version is written together with the steps that are being settled. Until then no
    /// snapshot of that version is taken: the next opening would take it for a sign that there is a base.
    var owesBase = false
    var isOver = false
    /// Whether the store is closed because it is idle: its host knows already when it is needed again.
    var isClosingIdle = false
    /// The opening until it is stable, if it restores effects.
    var unstableOpening: UnstableOpening? {
        get { unstableOpeningBox?.value }
        set { unstableOpeningBox = newValue.map { Boxed($0) } }
    }
    private var unstableOpeningBox: Boxed<UnstableOpening>?
    private let bodies = Atomic(0)
    private let calledStep = Atomic(0)
    /// Whether the records were written when the store was closed; nil before.
    let lastWrite = AtomicLazyReference<Boxed<Result<Void, JournalError>>>()
    /// The effects that are being retried; nil if none was yet.
    let retriedOnce = AtomicLazyReference<RetriedEffects<Action, State>>()
    /// The newest step that is reduced.
    var step: Int
    /// The state after ``step``.
    var reduced: ReducedState<Action, State>

    init(
        _ program: Program<Action, State>, stream: JournalStream, ticker: Ticker,
        observers: [Observer<Action, State>], state: State, step: Int, crossesBases: Bool, isRecovering: Bool
    ) {
        (self.program, self.stream) = (program, stream)
        self.ticker = ticker
        lazyScheduler = LazyScheduler(clockCheck: ticker.clockCheck)
        self.observers = observers
        isObserved = !observers.isEmpty || !program.links.isEmpty
        marks = stream.journal.writer.marks
        (self.crossesBases, self.isRecovering) = (crossesBases, isRecovering)
        reducerChecks = stream.journal.options.reducesTwice ? ReducerChecks() : nil
        isTraced = stream.journal.options.trace != nil
        reduced = ReducedState(state)
        // They get the state before each step as well.
        if isObserved { reduced.keepPrevious() }
        broadcast = StateBroadcast(reduced.newest, step: step)
        let buffer = OutcomeBuffer(stream: stream.id, writer: stream.journal.writer, watermark: stream.watermark)
        recorder = OutcomeRecorder(buffer)
        self.step = step
        buffer.connect(self)
    }

    var info: StreamInfo { stream.info }
    var machine: String { program.name }
    var location: ErrorLocation { ErrorLocation(file: stream.journal.file, stream: stream.name) }
    var options: JournalOptions { stream.journal.options }
    /// The date is read first: a pause between the two makes a timer late, and never early.
    var moment: Moment {
        let date = options.wallClock()
        return Moment(tick: ticker.now(), date: date)
    }
    var isStable: Bool {
        get { stable.load(ordering: .relaxed) }
        set { stable.store(newValue, ordering: .relaxed) }
    }
    /// How many bodies it has started.
    var startedBodies: Int { bodies.load(ordering: .relaxed) }
    /// The step up to which the machine's middleware was called; `Int.max` if it is not called any more.
    var middlewareStep: Int {
        get { calledStep.load(ordering: .acquiring) }
        set { calledStep.store(newValue, ordering: .releasing) }
    }
    func noteStartedBody() { bodies.wrappingAdd(1, ordering: .relaxed) }
    var isDrainingHere: Bool { drainingThread.load(ordering: .relaxed) == Platform.thread }

    func cancelEffects(ofDispatch step: Int) async throws(JournalError) { try await cancel(.root(step)) }

    // MARK: The inbox

    func add(_ item: InboxItem) -> Bool { inbox.withLock { $0.add(item) } }

    /// Adds an event from a thread that may drain the inbox.
    func post(_ event: Event) {
        guard add(PostedEvent(event)) else { return }
        if CurrentTask.hasLowPriority { scheduleDrain() } else { drainInPlace() }
    }

    /// Adds an event from a thread that must not wait. The worker pool drains the inbox.
    func postElsewhere(_ event: Event) {
        if add(PostedEvent(event)) { scheduleDrain() }
    }

    /// Posts an event and waits for its answer.
    func ask<Value: Sendable>(
        _ event: @escaping (@escaping @Sendable (Result<Value, JournalError>) -> Void) -> Event
    ) async throws(JournalError) -> Value {
        try await withUnsafeContinuation { continuation in
            post(event { continuation.resume(returning: $0) })
        }.get()
    }

    // MARK: Asked by the journal and its writer

    var hasMiddleware: Bool { middleware != nil }

    var hasStream: Bool { stream.isOpen }

    func beginClosing() { postElsewhere(.close { _ in }) }

    var hasStartedBodies: Bool { startedBodies > 0 }

    func stopBodies() async {
        await withUnsafeContinuation { continuation in postElsewhere(.stopBodies { continuation.resume() }) }
    }

    func closeWithJournal() async -> JournalError? {
        do throws(JournalError) { try await close() } catch { return error }
        return nil
    }

    func take(_ delivery: Delivery) { postElsewhere(.receive(delivery)) }

    func wereWritten(_ changes: Result<Int, JournalError>) { postElsewhere(.written(changes)) }

    // MARK: Draining

    /// Processes what is in the inbox at this moment; the worker pool does the rest.
    func drainInPlace() {
        processInbox()
        if !inbox.withLock({ $0.stopIfEmpty() }) { scheduleDrain() }
    }

    private func scheduleDrain() {
        stream.journal.writer.pool.schedule([self])
    }

    func drainOnce() -> DrainResult {
        if processInbox() > 1 { return .moreLater }
        return inbox.withLock { $0.stopIfEmpty() } ? .empty : .more
    }

    /// - Returns: how many items there were.
    @discardableResult
    private func processInbox() -> Int {
        guard let items = inbox.withLock({ $0.next(fitting: 1024) { _ in 1 } }) else { return 0 }
        drainingThread.store(Platform.thread, ordering: .relaxed)
        mark = marks?.take()
        for item in items { process(item) }
        if let mark { marks?.giveBack(mark) }
        broadcast.tell()
        checkCrashLoop()
        keepRecords()
        finishClosing()
        if joins != nil { answerJoins() }
        setSleeper()
        drainingThread.store(0, ordering: .relaxed)
        return items.count
    }

    /// Drops all effects, at the end.
    func forgetEffects() {
        lazyScheduler = LazyScheduler(clockCheck: ticker.clockCheck)
        (effects, dispatches) = (EffectTable(), DispatchTable())
    }

    /// The inbox has only items that this engine or a request to it has made: a submission is a request, all others are
    /// events. The downcasts are unchecked because a checked one looks up generic metadata for each item.
    @inline(__always)
    private func process(_ item: InboxItem) {
        if item.isSubmission {
            committed(unsafeDowncast(item, to: Request.self))
        } else {
            let event = unsafeDowncast(item, to: PostedEvent<Action, State>.self).event
            if !isOver || event.needsAnswer { handle(event) }
        }
    }

    /// Whether an event that changes records must wait: until an action of a run is committed with a record, or until
    /// the opening has decided about the effects that it restores.
    private func mustWait(_ event: Event) -> Bool {
        if isRecovering, case .intervene = event { return true }
        return gate.withLock { $0.queue.sendIsUnderWay }
    }

    func handle(_ event: Event) {
        if event.changesRecords, !isOver, mustWait(event) { return deferredEvents.append(event) }
        switch event {
        case .send(let send): admit(send)
        case .sent(let send, let form, let result): sent(send, form, result)
        case .bodyEnded(let key, let attempt, let error): bodyEnded(key, attempt, error)
        case .bodyRefused(let key, let attempt, let error): bodyRefused(key, attempt, error)
        case .receive(let delivery): receive(delivery)
        case .delivered(let key, let record, let outcome): delivered(key, record, outcome)
        case .tick(let due): tick(due)
        case .stableTimeReached: unstableOpening?.isDue = true
        case .list(let ephemeral, let reply): list(ephemeral: ephemeral, reply)
        case .intervene(let act, let key, let run, let remarks, let reply): intervene(act, key, run, remarks, reply)
        case .written(let result): written(result)
        case .cancel(let what, let reply): cancel(what, reply)
        case .forget(let request): forget(request)
        case .remember(let step, let attempt, let reply): remember(step, attempt, reply)
        case .notRemembered(let step, let attempt, let error, let reply):
            if isOver { return reply(.failure(refusal)) }
            if !error.isTransient { reportOnce(error) }
            fullDisk.events.append(.remember(step, attempt: attempt, reply))
            waitForRoom()
        case .flush(let reply): answerWhenWritten(reply)
        case .join(let join): addJoin(join)
        case .leave(let join): leaveJoin(join)
        case .close(let reply): close(reply)
        case .stopBodies(let reply):
            if !isOver, !isRecovering { cutOffBodies() }
            reply()
        case .closeIfIdle(let reply): closeIfIdle(reply)
        case .abandon: abandon()
        // After a close it would leave a crash-loop record.
        case .restore(_, let reply) where isOver || !closeReplies.isEmpty: reply(.failure(refusal))
        case .resume(_, _, let reply) where isOver: reply(.failure(refusal))
        case .resettle(_, _, let reply) where isOver: reply(.failure(refusal))
        case .restore(let past, let reply):
            restore(past)
            answerWhenWritten(reply)
        case .resettle(let steps, let owesBase, let reply):
            let base = resettle(steps, owesBase: owesBase)
            answerWhenWritten { result in reply(result.map { base }) }
        case .resume(let runs, let orphaned, let reply):
            resume(runs, orphaned: orphaned)
            reply(.success(()))
        }
    }
}
