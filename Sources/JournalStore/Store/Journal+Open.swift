extension Journal {
    /// Opens a machine on a stream, and makes the stream where there is none. It is exactly where it was: the state is folded from
    /// the newest snapshot, what had not been settled is settled, and the effects that were running go on as their authors said.
    ///
    /// - Parameters:
    ///   - machine: the machine. A stream belongs to one machine for ever.
    ///   - name: the stream's name.
    ///   - environment: what its effects work with.
    ///   - clock: what delays and retries wait by, and what bodies are given.
    ///   - observers: watch each new step.
    ///   - options: what is done with effects that were running, and more.
    /// - Throws: ``JournalError``: the stream is open already, belongs to another machine or a newer version; an entry or a base
    ///   cannot be read; the journal cannot write. Nothing is lost then.
    @concurrent public func open<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, stream name: String, environment: Environment,
        clock: any Clock<Duration> = ContinuousClock(), observers: [Observer<Action, State>] = [],
        options: OpenOptions = OpenOptions()
    ) async throws(JournalError) -> Store<Action, State> {
        await waitForRelease(of: name)
        let isCounted = router.opens(name)
        let stream: JournalStream
        do throws(JournalError) {
            stream = try await openStream(name, machine: machine.name)
        } catch {
            if isCounted { router.closed(name) }
            throw error
        }
        let program = Program(machine, environment: environment, checksCoding: self.options.checksCoding)
        // What went wrong first is what the caller is told, and not what closing comes to after that.
        var recovery: Recovery<Action, State>
        do throws(JournalError) {
            recovery = try Recovery(program, stream, options)
        } catch {
            try? await stream.close()
            if isCounted { router.closed(name) }
            throw error
        }
        let engine = StoreEngine(
            program, stream: stream, ticker: Ticker(clock), observers: observers, state: recovery.fold.state,
            step: recovery.fold.step)
        register(engine)
        do throws(JournalError) {
            let report = try await recovery.carryOut(on: engine)
            router.opened(name) { [weak engine] delivery in
                guard let engine else { return delivery.reply(.notTaken) }
                engine.postElsewhere(.receive(delivery))
            }
            return Store(engine, recovery: report)
        } catch {
            try? await engine.close()
            throw error
        }
    }

    /// Opens a machine that needs no environment; see ``open(_:stream:environment:clock:observers:options:)``.
    @concurrent public func open<Action, State>(
        _ machine: Machine<Action, State, Void>, stream name: String, clock: any Clock<Duration> = ContinuousClock(),
        observers: [Observer<Action, State>] = [], options: OpenOptions = OpenOptions()
    ) async throws(JournalError) -> Store<Action, State> {
        try await open(machine, stream: name, environment: (), clock: clock, observers: observers, options: options)
    }

    private func register<Action, State>(_ engine: StoreEngine<Action, State>) {
        // The journal is closed next, and says then what is wrong with it.
        stores.withLock { $0[engine.stream.id] = { [weak engine] in try? await engine?.close() } }
    }
}
