extension MachineHost {
    /// Closes the host: it takes no more calls, waits for running bodies until a deadline, and closes its streams.
    ///
    /// Nothing is lost at the deadline. Nothing that a running body sends counts any more, and its record stays as it
    /// is, so that the next host of the machine applies its restart policy. Timers and delayed effects are not waited
    /// for. A task that is cancelled waits as long as any other.
    ///
    /// - Parameter deadline: how long to wait for dispatches that are under way and for running bodies.
    /// - Returns: what was left.
    @discardableResult
    @concurrent public func close(within deadline: Duration = .zero) async -> HostShutdown {
        // Before any call is refused.
        journal.hosts.noteClosing(registration)
        let (isFirst, starter) = work.withLock { work in
            defer { (work.isClosed, work.starter) = (true, nil) }
            work.cancelSleepers()
            return (!work.isClosed, work.starter)
        }
        noteProgress()
        if let starter {
            starter.cancel()
            isStarted.change { $0 = true }
        }
        // In a task of its own: a cancelled task does not wait.
        await journal.options.spawnInMiddlewareCall { [self] in
            guard isFirst else {
                // The first call waits for the middleware, which would wait for itself here.
                if MiddlewareCall.store == nil { _ = await ended.wait { $0 } }
                return
            }
            if deadline > .zero { await drain(within: deadline) }
            let report = await closeAll()
            journal.hosts.remove(registration)
            ended.change { $0 = report }
        }.value
        return ended.read { $0 } ?? HostShutdown()
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

    private func closeAll() async -> HostShutdown {
        var report = HostShutdown()
        while true {
            let taken = work.withLock { $0.streams.takeAll() }
            for closed in await concurrently(taken, atMost: Journal.closedTogether, { await self.close($0) }) {
                report.add(closed)
            }
            // A stream that was being opened or closed when the host was closed.
            guard work.withLock({ $0.streams.underWay > 0 || !$0.streams.isEmpty }) else { return report }
            _ = await progress.wait { _ in
                self.work.withLock { $0.streams.openCount > 0 || $0.streams.underWay == 0 } ? true : nil
            }
        }
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
        do throws(JournalError) {
            try await engine.close()
        } catch {
            // An error of the whole journal names no stream.
            if error.code != .closed { closed.failure = changed(error) { $0.stream = $0.stream ?? resident.name } }
        }
        // The last action of some can have been under way.
        if !running.isEmpty, closed.failure == nil, let left = try? journal.reader.liveRuns(in: resident.name) {
            let keys = Set(left.map(\.key))
            running.removeAll { !keys.contains($0.key) }
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
