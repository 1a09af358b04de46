/// All stores of one machine in a journal: each stream is opened when it is used and closed when it is idle.
///
/// At its start the host finds the streams with live effects and opens them. Those that only wait for a timer or a
/// delayed effect stay closed until it is due. To callers each stream behaves as if its store were open all the time.
///
/// ```swift
/// let orders = try journal.host(order, environment: shop)
/// try await orders.dispatch(.pay, to: "order-17")
/// print(try await orders.state(of: "order-17"))
/// await orders.close()
/// ```
///
/// When the last reference is released, the streams are closed without waiting: running bodies are cut off and
/// cancelled, their records stay as they are, and the next host continues them. In the background a snapshot of each
/// open stream is stored, if the policy wants one; ``Journal/close()`` waits for that.
public final class MachineHost<Action: Sendable, State: Sendable>: Sendable {
    typealias Table = ResidentTable<Store<Action, State>>

    struct Work: Sendable {
        var streams = Table()
        var dispatches: DispatchLimit
        /// The closed streams that wait for a time of the wall clock: for a timer or a delayed effect.
        var timers = Alarm<Timestamp>()
        /// The streams that are opened again after a pause, by the ticker: the wall clock can be set back meanwhile.
        var pauses = Alarm<Duration>()
        /// The closed streams with effects that were alive in this process before.
        var continued: Set<ByteName> = []
        /// Goes on with the start, which could not read the list of streams.
        var starter: Task<Void, Never>?
        /// The streams that the start has found to be opened, and that were not opened yet.
        var starting: Set<ByteName> = []
        /// The streams to open in the background, and how many tasks open them.
        var toOpen = Line<String>()
        var queuedToOpen: Set<ByteName> = []
        var openers = 0
        /// Whether a task closes idle streams.
        var isSweeping = false
        /// The notices that are reported once and were reported.
        var reported: Set<String> = []
        var recovery = HostRecovery()
        /// Why the start could not open streams, as far as it was reported.
        var causes: Set<FailureCause> = []
        /// Since when, by the ticker, every opening in the background fails for a reason that can pass, and the reasons.
        var failing: (since: Duration, codes: Set<JournalError.Code>, streams: Set<ByteName>)?
        /// Whether it was reported that no stream can be opened any more.
        var hasStopped = false
        /// It takes no calls any more.
        var isClosed = false
        /// A call closes it.
        var isEnding = false
        /// Nothing is waited for any more: its stores take no calls either.
        var endsStores = false
        /// What was left in the streams that its end has closed.
        var shutdown = HostShutdown()

        mutating func cancelSleepers() {
            timers.cancelSleeper()
            pauses.cancelSleeper()
        }
    }

    struct FailureCause: Hashable {
        var code: JournalError.Code
        var message: String
    }

    /// The journal of its streams.
    public let journal: Journal
    /// The name of its machine.
    public let machine: String
    let options: HostOptions
    let ticker: Ticker
    /// Opens a stream, given whether its effects were alive in this process before.
    let open: @Sendable (_ stream: String, _ continues: Bool) async throws(JournalError) -> Store<Action, State>
    let hasInitialEffect: Bool
    /// Its key in the journal's list of hosts.
    let registration: HostRegistry.Registration
    let work: Lock<Work>
    /// Whether the start has ended.
    let isStarted = Watched(false)
    /// Whether all of its streams are closed.
    let hasEnded = Watched(false)
    /// Changed whenever a dispatch, an opening or a closing has ended, for the end of the host.
    let progress = Watched(0)

    init(
        _ journal: Journal, machine: String, _ registration: HostRegistry.Registration, hasInitialEffect: Bool,
        ticker: Ticker, _ options: HostOptions,
        open:
            @escaping @Sendable (_ stream: String, _ continues: Bool) async throws(JournalError) -> Store<Action, State>
    ) {
        (self.journal, self.machine, self.hasInitialEffect) = (journal, machine, hasInitialEffect)
        (self.ticker, self.options, self.open, self.registration) = (ticker, options.clamped, open, registration)
        work = Lock(Work(dispatches: DispatchLimit(self.options.maxDispatches)))
    }

    deinit {
        work.withLock { work in
            work.cancelSleepers()
            work.starter?.cancel()
        }
        releaseStores()
        journal.hosts.remove(registration)
    }

    /// Before another host can open their streams: that one waits for a release that has begun.
    private func releaseStores() {
        _ = work.withLock { $0.streams.takeAll() }
    }

    /// What the host has found at its start. Returns once the host has opened the streams with something to do, or was
    /// closed.
    ///
    /// While the list of streams cannot be read because too many files are open, the file is busy or the disk is full,
    /// it is tried again each second, and this waits: what it returns lacks no stream. After another error it lacks
    /// the streams that were not read yet, and ``HostRecovery/failures`` has the error. If the task is cancelled, it
    /// returns at once what the host has found until then.
    public func recovery() async -> HostRecovery {
        _ = await isStarted.wait { $0 ? true : nil }
        return work.withLock { $0.recovery }
    }

    /// How many streams are open at the moment.
    public var openStreams: Int { work.withLock { $0.streams.openCount } }

    // MARK: Dispatching

    /// Dispatches an action to a stream, which is opened if it is not open, and created if there is none.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - stream: the stream's name.
    ///   - id: the dispatch ID, as for a store.
    ///   - cancelID: an ID that cancels all effects of this dispatch and all that they lead to.
    ///   - priority: the priority of its effects.
    ///   - trackingFeedback: whether the result also tracks the effects of the actions that its effects send.
    ///   - ifFull: what to do if as many dispatches are under way as the options allow.
    /// - Throws: ``JournalError`` as ``Store/dispatch(_:id:cancelID:priority:trackingFeedback:)``; if the stream cannot
    ///   be opened; and ``JournalError/Code/overloaded`` if the dispatch is refused. Nothing was appended then.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, to stream: String, id: String? = nil, cancelID: (any EffectID)? = nil,
        priority: TaskPriority? = nil, trackingFeedback: Bool = false, ifFull: IfFull = .wait
    ) async throws(JournalError) -> Dispatched<Action> {
        try checkDispatchID(id, stream)
        try await enter(ifFull, stream)
        defer { leave() }
        let store = try await store(of: stream)
        defer { measureIfDue(stream, store) }
        do throws(JournalError) {
            return try await store.dispatch(
                action, id: id, cancelID: cancelID, priority: priority, trackingFeedback: trackingFeedback)
        } catch {
            throw ofHost(error, stream)
        }
    }

    /// Dispatches many actions to a stream in one transaction, all of them or none. Without any it creates no stream.
    ///
    /// - Throws: ``JournalError`` as ``dispatch(_:to:id:cancelID:priority:trackingFeedback:ifFull:)``.
    @discardableResult
    @concurrent public func dispatch(
        contentsOf actions: some Sequence<Action> & Sendable, to stream: String, cancelID: (any EffectID)? = nil,
        priority: TaskPriority? = nil, trackingFeedback: Bool = false, ifFull: IfFull = .wait
    ) async throws(JournalError) -> [Dispatched<Action>] {
        try await enter(ifFull, stream)
        defer { leave() }
        let actions = Array(actions)
        // No stream can be deleted.
        if actions.isEmpty {
            if work.withLock({ $0.isClosed }) { throw closedError(stream) }
            return []
        }
        let store = try await store(of: stream)
        defer { measureIfDue(stream, store) }
        do throws(JournalError) {
            return try await store.dispatch(
                contentsOf: actions, cancelID: cancelID, priority: priority, trackingFeedback: trackingFeedback)
        } catch {
            throw ofHost(error, stream)
        }
    }

    /// Dispatches an action to a stream and returns the first state that meets a condition. The stream stays open
    /// meanwhile. ``HostOptions/maxDispatches`` does not limit such calls, because one can wait for what others
    /// dispatch.
    ///
    /// - Throws: as the same call of a ``Store``, and ``JournalError`` if the stream cannot be opened.
    @discardableResult
    @concurrent public func dispatch(
        _ action: Action, to stream: String, id: String? = nil, until condition: @escaping @Sendable (State) -> Bool
    ) async throws -> State {
        try Task.checkCancellation()
        try checkDispatchID(id, stream)
        let store = try await store(of: stream)
        defer { measureIfDue(stream, store) }
        do { return try await store.dispatch(action, id: id, until: condition) } catch let error as JournalError {
            throw ofHost(error, stream)
        }
    }

    /// The error of a call to a store. If the host was closed meanwhile, that is the reason: an effect that gets the
    /// error has not failed.
    func ofHost(_ error: JournalError, _ stream: String) -> JournalError {
        error.code == .closed && work.withLock { $0.isClosed } ? closedError(stream) : error
    }

    /// Before the stream is created: no stream can be deleted. A stream that exists can have the dispatch ID, written
    /// when the rule was another one.
    func checkDispatchID(_ id: String?, _ stream: String) throws(JournalError) {
        guard let id else { return }
        do throws(JournalError) {
            try NameRule.check(dispatchID: id, file: journal.file, stream: stream)
        } catch {
            guard (try? journal.reader.stream(stream)) != nil else { throw error }
        }
    }

    // MARK: Streams

    /// The newest state of a stream. It is opened if it is not open.
    ///
    /// - Throws: ``JournalError``; with ``JournalError/Code/unknownStream`` if there is no such stream.
    @concurrent public func state(of stream: String) async throws(JournalError) -> State {
        try await store(of: stream, createsStream: false).state
    }

    /// The store of a stream, which is opened if it is not open, and created if there is none. The stream stays open as
    /// long as the store is referenced, also while you only listen to its states or outputs, or have a sequence of its
    /// steps.
    ///
    /// - Throws: ``JournalError`` if the stream cannot be opened, or the host was closed.
    @concurrent public func store(for stream: String) async throws(JournalError) -> Store<Action, State> {
        try await store(of: stream)
    }

    // MARK: The limit

    /// Counts one more dispatch that is under way. At the limit, it waits until another one ends, or throws. A call of
    /// middleware does not wait.
    func enter(_ ifFull: IfFull, _ stream: String) async throws(JournalError) {
        // Those that are under way can wait for the return of this call.
        try refuseIfStoreHasEnded(stream)
        if work.withLock({ $0.dispatches.enter() }) { return }
        // Also if its store has not ended yet: what waits before it can wait for its return later.
        if journal.isInMiddleware { return work.withLock { $0.dispatches.enterBeyondLimit() } }
        if ifFull == .refuse {
            throw JournalError(
                .overloaded, "\(options.maxDispatches) dispatches are under way.",
                advice: "Try again later, or raise `HostOptions.maxDispatches`.", file: journal.file, stream: stream)
        }
        await withUnsafeContinuation { continuation in
            let hasEntered = work.withLock { work in
                if work.dispatches.enter() { return true }
                work.dispatches.wait { continuation.resume() }
                return false
            }
            if hasEntered { continuation.resume() }
        }
    }

    /// Counts one dispatch less. The one that has waited for longest begins.
    func leave() {
        let (admit, isClosed) = work.withLock { ($0.dispatches.leave(), $0.isClosed) }
        admit?()
        if isClosed { noteProgress() }
    }

    func noteProgress() { progress.change { $0 &+= 1 } }
}
