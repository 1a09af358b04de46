import Synchronization

extension Journal {
    /// Opens a machine on a stream, and creates the stream if there is none.
    ///
    /// The state is folded from the newest snapshot, steps that were not settled are settled, and the restart policies
    /// of unfinished effects are applied.
    ///
    /// Keep a reference to the store, for example in a property: the journal has none. When the last one is released,
    /// its effects and timers stop until the stream is opened again; ``Notice/Kind/storeReleased`` names them.
    ///
    /// - Parameters:
    ///   - machine: the machine. A stream always belongs to the same machine.
    ///   - name: the stream's name.
    ///   - environment: the dependencies that its reducer and handlers get.
    ///   - clock: the clock for delays and retries; bodies get it too.
    ///   - observers: called for each new step.
    ///   - options: what to do with unfinished effects, and more.
    /// - Throws: ``JournalError`` if the stream is open already, belongs to another machine, or was written by a newer
    ///   version; if the machine has a host, or cannot be opened at all, for example because its state is a class; if
    ///   an entry, a base or a live effect cannot be read; if the journal cannot write. Nothing is lost then.
    @concurrent public func open<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, stream name: String, environment: Environment,
        clock: any Clock<Duration> = ContinuousClock(), observers: [Observer<Action, State>] = [],
        options: OpenOptions = OpenOptions()
    ) async throws(JournalError) -> Store<Action, State> {
        let program = Program(machine, environment: environment, checksCoding: self.options.checksCoding)
        guard !hosts.hasHost(machine.name) else { throw ErrorLocation(file: file, stream: name).hosted(machine.name) }
        let store = try await open(program, stream: name, Ticker(clock, in: self.options), observers, options)
        messageDecoders.learn(machine)
        if let error = store.recovery.skippedSnapshotsError { self.options.notify(.snapshotSkipped, error) }
        if let error = store.recovery.olderStepsError(of: ErrorLocation(file: file, stream: name)) {
            self.options.notify(.olderSteps, error)
        }
        return store
    }

    /// Opens a machine that needs no environment; see ``open(_:stream:environment:clock:observers:options:)``.
    @concurrent public func open<Action, State>(
        _ machine: Machine<Action, State, Void>, stream name: String, clock: any Clock<Duration> = ContinuousClock(),
        observers: [Observer<Action, State>] = [], options: OpenOptions = OpenOptions()
    ) async throws(JournalError) -> Store<Action, State> {
        try await open(machine, stream: name, environment: (), clock: clock, observers: observers, options: options)
    }

    func open<Action, State>(
        _ program: Program<Action, State>, stream name: String, _ ticker: Ticker,
        _ observers: [Observer<Action, State>],
        _ options: OpenOptions
    ) async throws(JournalError) -> Store<Action, State> {
        try program.check(file: file, stream: name)
        await waitForRelease(of: name)
        router.opens(name)
        var (engine, recovery) = try await restore(program, name, ticker, observers, options)
        do throws(JournalError) {
            // Closed meanwhile: nothing would end the store. Before its effects start, too.
            try refuseIfClosing(options)
            let report = try await recovery.carryOut(on: engine)
            try refuseIfClosing(options)
            engine.wasOpened.store(true, ordering: .releasing)
            router.opened(name, engine)
            return Store(engine, recovery: report)
        } catch {
            let stream = engine.stream
            keepArrivals(in: stream, from: max(stream.firstNewStep, engine.broadcast.step + 1))
            await engine.closeFailedOpening()
            reopenInHost(name, program.name, options)
            // An error of the whole journal, such as a full disk: a host opens many streams, and reports each.
            throw changed(error) { $0.stream = $0.stream ?? name }
        }
    }

    /// Opens the stream, and reads what its store begins with.
    private func restore<Action, State>(
        _ program: Program<Action, State>, _ name: String, _ ticker: Ticker, _ observers: [Observer<Action, State>],
        _ options: OpenOptions
    ) async throws(JournalError) -> (StoreEngine<Action, State>, Recovery<Action, State>) {
        stores.withLock { $0.beginOpening(of: name) }
        var opened: JournalStream?
        let span = self.options.beginSpan(of: name)
        do throws(JournalError) {
            let stream = try await openAny(name, machine: program.name)
            opened = stream
            let recovery = try Recovery(program, stream, options)
            span?.end(.replay) { ($0.step, $0.count) = (recovery.fold.step, recovery.replayedSteps) }
            let engine = StoreEngine(
                program, stream: stream, ticker: ticker, observers: observers, state: recovery.fold.state,
                step: recovery.fold.step, crossesBases: options.crossesBases, isRecovering: !recovery.isDone)
            engine.middleware = engine.start(program.middleware, after: stream.firstNewStep - 1)
            for waiter in stores.withLock({ $0.endOpening(of: name, stream.id, engine) }) { waiter() }
            return (engine, recovery)
        } catch {
            span?.end(.replay) { $0.error = "\(error)" }
            // The caller gets this error, not one of the close that follows it.
            if let opened {
                keepArrivals(in: opened, from: opened.firstNewStep)
                try? await opened.close()
            }
            for waiter in stores.withLock({ $0.endOpening(of: name) }) { waiter() }
            router.closed(name)
            reopenInHost(name, program.name, options)
            throw error
        }
    }

    /// A host that closes waits for the calls of its middleware, which can wait for a store that is opened by hand.
    private func refuseIfClosing(_ options: OpenOptions) throws(JournalError) {
        if stores.withLock({ $0.isClosed }) || options.hostedSince == nil && hosts.isClosed { throw .closed(file) }
    }

    /// An opening by hand has failed. A host that was made meanwhile could not open the stream.
    private func reopenInHost(_ name: String, _ machine: String, _ options: OpenOptions) {
        guard options.hostedSince == nil, hosts.hasHost(machine) else { return }
        do throws(JournalError) { _ = try reader.stream(name) } catch {
            // There is nothing to open, and the host must not create it.
            if error.code == .unknownStream { return }
        }
        hosts.mustReopen(name, of: machine)
    }

    /// An opening has failed: the messages that it has not reduced are new for the next one.
    private func keepArrivals(in stream: JournalStream, from step: Int) {
        if step <= stream.info.headStep { keepArrivals(in: stream.id, from: step) }
    }
}
