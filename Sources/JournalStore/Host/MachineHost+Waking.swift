// What opens streams without a caller: the start, timers that are due, messages of other machines.

extension MachineHost {
    /// The wall clock can be set, so it is read this often.
    private var clockCheck: Duration { Scheduler.clockCheck }

    // MARK: The start

    /// Opens the streams in which something is to be done, and plans the others with live effects.
    func start() async {
        do throws(JournalError) {
            try await journal.reader.forEachWakingStream(
                of: machine, hasInitialEffect: hasInitialEffect, damaged: { note($0) }
            ) { page in await begin(page) }
        } catch {
            note(error)
        }
        isStarted.change { $0 = true }
    }

    private func begin(_ page: [WakingStream]) async {
        let now = work.withLock { work in
            page.filter { stream in
                guard case .at(let time) = stream.plan else { return true }
                work.wakes.add(stream.name, at: time)
                work.recovery.waiting += 1
                return false
            }
        }
        setSleeper()
        await openAll(now.map(\.name)) { $0.opened += 1 }
    }

    /// Opens streams, as many at a time as the options allow.
    private func openAll(
        _ streams: [String], _ count: @escaping @Sendable (inout HostRecovery) -> Void = { _ in }
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for (index, stream) in streams.enumerated() {
                if index >= options.openings { await group.next() }
                group.addTask {
                    do throws(JournalError) {
                        // Also if it is just being closed: then it is opened again.
                        _ = try await self.store(of: stream)
                        self.work.withLock { count(&$0.recovery) }
                    } catch {
                        self.failedToWake(stream, error)
                    }
                }
            }
        }
    }

    private func failedToWake(_ stream: String, _ error: JournalError) {
        if error.code == .closed { return }
        note(error)
        guard error.isRetryable else { return }
        // The disk is full, or another connection holds the database: it is tried again.
        let time = Timestamp(microseconds: journal.options.clock().microseconds.addingSaturating(1_000_000))
        work.withLock { $0.wakes.add(stream, at: time) }
        setSleeper()
    }

    private func note(_ error: JournalError) {
        work.withLock { if !isStarted.read({ $0 }) { $0.recovery.add(error) } }
        journal.options.notify(.openingFailed, error)
    }

    // MARK: Timers

    /// Sleeps until the next stream is due.
    func setSleeper() {
        work.withLock { work in
            guard !work.isClosed, !work.isWaking, let next = work.wakes.next else { return }
            if let sleeper = work.sleeper, sleeper.until <= next { return }
            work.sleeper?.task.cancel()
            let wait = next.microseconds.subtractingSaturating(journal.options.clock().microseconds)
            let until = ticker.now() + min(.microseconds(max(0, wait)), clockCheck)
            let task = journal.options.spawn { [weak self, sleep = ticker.sleep] in
                guard (try? await sleep(until)) != nil else { return }
                await self?.openDue()
            }
            work.sleeper = (next, task)
        }
    }

    private func openDue() async {
        work.withLock { work in
            work.isWaking = true
            work.sleeper = nil
        }
        while true {
            let due = work.withLock { work in
                let due = work.isClosed ? [] : work.wakes.take(at: journal.options.clock())
                if due.isEmpty { work.isWaking = false }
                return due
            }
            if due.isEmpty { break }
            await openAll(due)
        }
        setSleeper()
    }

    // MARK: Messages

    /// A message from another machine was appended to a stream that is not open.
    func messageArrived(in stream: String) {
        _ = journal.options.spawn { [weak self] in await self?.openAll([stream]) }
    }
}
