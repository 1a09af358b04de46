extension MachineHost {
    /// Closes the host: it takes no more calls, waits for running bodies until a deadline, and closes its streams.
    ///
    /// Nothing is lost at the deadline. Nothing that a running body sends counts any more, and its record stays as it
    /// is, so that the next host of the machine applies its restart policy. Timers and delayed effects are not waited
    /// for. A task that is cancelled waits as long as any other, and a second call waits until the first one has ended,
    /// whatever its own deadline is. In middleware, the streams that others are opening or closing are closed after this
    /// call has returned.
    ///
    /// - Parameter deadline: how long to wait for dispatches that are under way and for running bodies. A body that starts
    ///   meanwhile because of a message to another stream may be cut off earlier.
    /// - Returns: what was left in the streams that are closed.
    @discardableResult
    @concurrent public func close(within deadline: Duration = .zero) async -> HostShutdown {
        refuseCalls()
        let isFirst = work.withLock { work in
            defer { work.isEnding = true }
            return !work.isEnding
        }
        // In a task of its own: a cancelled task does not wait.
        await journal.options.spawnInMiddlewareCall { [self] in
            guard isFirst else {
                // The first call waits for the middleware, which would wait for itself here.
                if !journal.isInMiddleware { _ = await hasEnded.wait { $0 ? true : nil } }
                return
            }
            if deadline > .zero { await drain(within: deadline) }
            await Journal.stopBodies(of: work.withLock { $0.streams.openStores }.map(\.engine))
            endStores()
            await closeOpenStreams()
            if journal.isInMiddleware, work.withLock({ !$0.streams.isEmpty }) {
                // What opens or closes them can wait for this middleware.
                _ = journal.options.spawn { await self.end() }
            } else {
                await end()
            }
        }.value
        return work.withLock { $0.shutdown }
    }

    /// Takes no calls any more.
    private func refuseCalls() {
        // Before any call is refused.
        journal.hosts.noteClosing(registration)
        let starter = work.withLock { work in
            defer { (work.isClosed, work.starter) = (true, nil) }
            work.cancelSleepers()
            return work.starter
        }
        noteProgress()
        if let starter {
            starter.cancel()
            isStarted.change { $0 = true }
        }
    }

    /// The journal is being closed.
    ///
    /// - Returns: whether a call that closes the host already still waits for dispatches and bodies.
    func beginClosing() -> Bool {
        refuseCalls()
        return work.withLock { work in
            if work.isEnding, !work.endsStores { return true }
            work.endsStores = true
            return false
        }
    }

    /// Middleware of one stream can wait for a call to another one, which must be refused before the middleware is waited
    /// for.
    private func endStores() {
        let stores = work.withLock { work in
            work.endsStores = true
            return work.streams.openStores
        }
        noteProgress()
        for store in stores where store.engine.hasMiddleware { store.engine.beginClosing() }
    }

    /// The journal is being closed, and another call already closes the host. Returns once that one does not wait for
    /// dispatches and bodies any more.
    func waitForDrain() async {
        _ = await progress.wait { _ in self.work.withLock { $0.endsStores } ? true : nil }
    }

    /// Waits until nothing is under way and no body runs, or the deadline has passed.
    private func drain(within deadline: Duration) async {
        await withTaskGroup(of: Void.self) { group in
            let until = ticker.now() + min(deadline, .longestWait)
            group.addTask { [sleep = ticker.sleep] in try? await sleep(until) }
            group.addTask {
                await self.waitUntilSettled()
                let stores = self.work.withLock { $0.streams.openStores }
                // The end of a body can lead to another one, in a stream that was quiet before.
                var started: Int
                repeat {
                    started = Self.startedBodies(of: stores)
                    for store in stores { await store.join(bodiesOnly: true) }
                } while !Task.isCancelled && started != Self.startedBodies(of: stores)
            }
            await group.next()
            group.cancelAll()
        }
    }

    private static func startedBodies(of stores: [Store<Action, State>]) -> Int {
        stores.reduce(0) { $0 &+ $1.engine.startedBodies }
    }

    /// Waits until no dispatch, opening or closing is under way.
    private func waitUntilSettled() async {
        _ = await progress.wait { _ in
            self.work.withLock { $0.dispatches.underWay == 0 && $0.streams.underWay == 0 } ? true : nil
        }
    }

    private func closeOpenStreams() async {
        let taken = work.withLock { $0.streams.takeAll() }
        for closed in await concurrently(taken, atMost: Journal.closedTogether, { await self.close($0) }) {
            work.withLock { $0.shutdown.add(closed) }
        }
    }

    /// Closes also the streams that were being opened or closed when the host was closed.
    private func end() async {
        while work.withLock({ !$0.streams.isEmpty }) {
            _ = await progress.wait { _ in
                self.work.withLock { $0.streams.openCount > 0 || $0.streams.isEmpty } ? true : nil
            }
            await closeOpenStreams()
        }
        journal.hosts.remove(registration)
        hasEnded.change { $0 = true }
    }

    fileprivate struct Closed {
        var interrupted: [HostShutdown.Interrupted] = []
        var failure: JournalError?
    }

    private func close(_ resident: Table.Taken) async -> Closed {
        let engine = resident.store.engine
        var closed = Closed()
        let listed: [EffectRun]? = try? await engine.ask { .list(ephemeral: false, $0) }
        // A store that has ended lists none.
        let runs = listed ?? (try? journal.reader.liveRuns(in: resident.name)) ?? []
        var running = runs.filter { $0.status == .running }
        let started = engine.startedBodies
        do throws(JournalError) {
            try await engine.close()
        } catch {
            // An error of the whole journal names no stream.
            if error.code != .closed { closed.failure = changed(error) { $0.stream = $0.stream ?? resident.name } }
        }
        // The last action of some can have been under way, some had not begun, and some have begun since.
        if listed == nil || !running.isEmpty || started != engine.startedBodies, closed.failure == nil,
            let left = try? journal.reader.liveRuns(in: resident.name)
        {
            running = left.filter { $0.status == .running }
        }
        closed.interrupted = running.map { .init(stream: resident.name, run: $0) }
        let isWanted = work.withLock { $0.streams.closed(resident.name) }
        if isWanted {
            // The calls that wait for it come too late.
            let waiters = work.withLock { $0.streams.failed(resident.name) }
            for waiter in waiters { waiter(.failure(closedError(resident.name))) }
        }
        noteProgress()
        return closed
    }
}

extension HostShutdown {
    fileprivate mutating func add<Action, State>(_ stream: MachineHost<Action, State>.Closed) {
        closed += 1
        interrupted += stream.interrupted
        if let failure = stream.failure { failures.append(failure) }
    }
}
