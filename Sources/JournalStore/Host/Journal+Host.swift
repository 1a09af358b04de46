extension Journal {
    /// Hosts a machine: opens its streams on demand, closes those that are idle, and continues their effects.
    ///
    /// Returns at once. Meanwhile the host opens the streams with something to do, oldest first;
    /// ``MachineHost/recovery()`` waits for that. A stream of a host cannot be opened in another way.
    ///
    /// Keep a reference to the host, for example in a property: the journal has none, and `_ = try journal.host(…)`
    /// releases it at once. When the last one is released, effects and timers stop, and messages are not reduced, until
    /// the machine has a host again. While a host reads, opens or closes streams by itself, it refers to itself:
    /// close it before you make another one.
    ///
    /// - Parameters:
    ///   - machine: the machine. A journal has one host for each.
    ///   - environment: the dependencies that its reducer and handlers get.
    ///   - clock: the clock for delays and retries; bodies get it too.
    ///   - observers: makes the observers of a stream.
    ///   - options: the limits of the host, and how each stream is opened.
    /// - Throws: ``JournalError`` if the machine has a host in this journal already, the journal was closed, or the
    ///   machine cannot be opened at all, for example because its state is a class.
    public func host<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, environment: Environment,
        clock: any Clock<Duration> = ContinuousClock(),
        observers: @escaping @Sendable (_ stream: String) -> [Observer<Action, State>] = { _ in [] },
        options: HostOptions = HostOptions()
    ) throws(JournalError) -> MachineHost<Action, State> {
        let program = Program(machine, environment: environment, checksCoding: self.options.checksCoding)
        try program.check(file: file, stream: nil)
        let registration = try hosts.reserve(machine.name, in: file)
        messageDecoders.learn(machine)
        let (ticker, began) = (Ticker(clock, in: self.options), self.options.wallClock())
        let host = MachineHost<Action, State>(
            self, machine: machine.name, registration, hasInitialEffect: !program.initialEffect.effects.isEmpty,
            ticker: ticker, options
        ) { [unowned self] stream, continues throws(JournalError) in
            // If the clock was set back since then, the host began earlier by what the clock says now.
            let lasted = ticker.now().inMicroseconds
            let now = self.options.wallClock().microseconds
            let since = min(began, Timestamp(microseconds: now.subtractingSaturating(lasted)))
            return try await open(
                program, stream: stream, ticker, observers(stream),
                changed(options.opening) { ($0.hostedSince, $0.continuesEffects) = (since, continues) })
        }
        let opened: @Sendable (String) async throws(JournalError) -> Store<Action, State> = {
            [weak host] stream throws(JournalError) in
            guard let host else {
                throw JournalError(.closed, JournalError.hostWasClosed, advice: "Try again.", stream: stream)
            }
            return try await host.store(of: stream, createsStream: false)
        }
        try hosts.fill(
            registration,
            HostRegistry.Calls(
                messageArrived: { [weak host] stream in host?.messageArrived(in: stream) },
                mustReopen: { [weak host] stream in host?.openSoon(stream) },
                beginClosing: { [weak host] in host?.beginClosing() ?? false },
                waitForDrain: { [weak host] in await host?.waitForDrain() },
                close: { [weak host] in await host?.close().failures ?? [] },
                intervene: { stream, act, run, remarks throws(JournalError) in
                    let store: Store<Action, State>
                    do throws(JournalError) { store = try await opened(stream) } catch {
                        guard error.isOfStreamContent else { throw error }
                        return error
                    }
                    // As long as the store is referenced, its stream is not closed.
                    defer { withExtendedLifetime(store) {} }
                    try await store.engine.intervene(act, run, remarks)
                    return nil
                },
                cancel: { stream, root throws(JournalError) in
                    let store = try await opened(stream)
                    defer { withExtendedLifetime(store) {} }
                    try await store.engine.cancel(.root(root))
                }), in: file)
        _ = self.options.spawn { [weak host] in await host?.start() }
        return host
    }

    /// Hosts a machine that needs no environment; see ``host(_:environment:clock:observers:options:)``.
    public func host<Action, State>(
        _ machine: Machine<Action, State, Void>, clock: any Clock<Duration> = ContinuousClock(),
        observers: @escaping @Sendable (_ stream: String) -> [Observer<Action, State>] = { _ in [] },
        options: HostOptions = HostOptions()
    ) throws(JournalError) -> MachineHost<Action, State> {
        try host(machine, environment: (), clock: clock, observers: observers, options: options)
    }
}
