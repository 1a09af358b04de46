// What opens streams without a caller: the start, timers that are due, messages of other machines.

extension MachineHost {
    // MARK: The start

    /// Opens the streams in which something is to be done, and plans the others with live effects.
    ///
    /// - Parameter earlier: where it goes on if it could not read the list of streams before.
    func start(from earlier: WakingPlace? = nil) async {
        var place = earlier ?? WakingPlace()
        work.withLock { $0.starter = nil }
        do throws(JournalError) {
            try await journal.reader.forEachWakingStream(
                of: machine, from: &place, hasInitialEffect: hasInitialEffect,
                goesOn: { work.withLock { !$0.isClosed } }, damaged: { note($0) }
            ) { page in await begin(page) }
        } catch {
            if error.isRetryable {
                // Once, and not for each time it is tried again.
                if earlier == nil || place.last != earlier?.last { journal.options.notify(.openingFailed, error) }
                if startLater(from: place) { return }
            } else if error.code != .closed {
                // If it was closed meanwhile, nothing of it is missing.
                note(error)
            }
        }
        isStarted.change { $0 = true }
    }

    /// Reads on in the list of streams after a pause. Meanwhile nothing but its callers keeps the host alive.
    ///
    /// - Returns: false if the host was closed.
    private func startLater(from place: WakingPlace) -> Bool {
        let until = ticker.now() + pause
        return work.withLock { work in
            guard !work.isClosed else { return false }
            work.starter = journal.options.spawn { [weak self, sleep = ticker.sleep] in
                guard (try? await sleep(until)) != nil else { return }
                await self?.start(from: place)
            }
            return true
        }
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
        let opened = await concurrently(now.map(\.name), atMost: options.maxOpenings) {
            await self.openOne($0, isStart: true)
        }
        work.withLock { $0.recovery.opened += opened.count(where: \.self) }
    }

    /// - Parameter isStart: whether the start needs it. What is opened meanwhile for another reason does not count.
    /// - Returns: whether the stream is open.
    @discardableResult
    private func openOne(_ stream: String, isStart: Bool = false) async -> Bool {
        do throws(JournalError) {
            // Also if it is just being closed: then it is opened again.
            _ = try await store(of: stream)
            return true
        } catch {
            if error.code != .closed { failedToWake(stream, error, isStart) }
            return false
        }
    }

    private func failedToWake(_ stream: String, _ error: JournalError, _ isStart: Bool) {
        // The disk is full, another connection holds the database, or too many files are open: it is tried again.
        let isNew = !error.isRetryable || tryAgain(stream, error.code)
        if isStart { note(error) } else if isNew { journal.options.notify(.openingFailed, error) }
        if error.isRetryable { setSleeper() }
    }

    /// Plans another opening of a stream: after as long as all have failed, at least a second, at most ten. There can be
    /// thousands of streams that wait for room on a full disk.
    ///
    /// - Returns: whether the error is another one than those since the last opening that succeeded.
    private func tryAgain(_ stream: String, _ code: JournalError.Code) -> Bool {
        let now = journal.options.wallClock()
        return work.withLock { work in
            var failing = work.failing ?? (now, [], [])
            let failed = Duration.microseconds(now.microseconds.subtractingSaturating(failing.since.microseconds))
            let isNew = failing.codes.insert(code).inserted
            failing.streams.insert(ByteName(stream))
            work.failing = failing
            work.wakes.add(stream, at: after(min(max(failed, pause), .seconds(10))))
            return isNew
        }
    }

    /// Opens a stream again after a pause.
    func openSoon(_ stream: String) {
        work.withLock { $0.wakes.add(stream, at: soon) }
        setSleeper()
    }

    /// How long it waits before it tries something again.
    private var pause: Duration { .seconds(1) }

    /// When something is tried again.
    var soon: Timestamp { after(pause) }

    private func after(_ pause: Duration) -> Timestamp {
        Timestamp(microseconds: journal.options.wallClock().microseconds.addingSaturating(pause.inMicroseconds))
    }

    /// Reports what the start could not open.
    private func note(_ error: JournalError) {
        work.withLock { $0.recovery.add(error) }
        journal.options.notify(.openingFailed, error)
    }

    // MARK: Timers

    /// Sleeps until the next stream is due.
    func setSleeper() {
        work.withLock { work in
            guard !work.isClosed, let next = work.wakes.next else { return }
            if let sleeper = work.sleeper, sleeper.until <= next { return }
            work.sleeper?.task.cancel()
            let wait = next.microseconds.subtractingSaturating(journal.options.wallClock().microseconds)
            let until = ticker.now() + min(.microseconds(max(0, wait)), ticker.clockCheck)
            let task = journal.options.spawn { [weak self, sleep = ticker.sleep] in
                guard (try? await sleep(until)) != nil else { return }
                self?.openDue(next)
            }
            work.sleeper = (next, task)
        }
    }

    /// Opens the streams that are due.
    ///
    /// - Parameter awaited: what the sleeper waited for.
    func openDue(_ awaited: Timestamp) {
        let due = work.withLock { work in
            // It can have been replaced meanwhile: then the other one goes on.
            if work.sleeper?.until == awaited { work.sleeper = nil }
            return work.isClosed ? [] : work.wakes.take(at: journal.options.wallClock())
        }
        openLater(due)
        setSleeper()
    }

    // MARK: Messages

    /// A message from another machine was appended to a stream that is not open.
    func messageArrived(in stream: String) { openLater([stream]) }

    // MARK: Opening in the background

    /// Opens streams as soon as fewer than the options allow are being opened. One that takes long holds up no other.
    private func openLater(_ streams: [String]) {
        let new = work.withLock { work in
            for stream in streams where work.queuedToOpen.insert(ByteName(stream)).inserted { work.toOpen.add(stream) }
            let new = max(0, min(options.maxOpenings - work.openers, work.toOpen.count))
            work.openers += new
            return new
        }
        for _ in 0..<new {
            _ = journal.options.spawn { [weak self] in
                while let self, let stream = self.nextToOpen() { await self.openOne(stream) }
            }
        }
    }

    private func nextToOpen() -> String? {
        work.withLock { work in
            guard !work.isClosed, let next = work.toOpen.next() else {
                work.openers -= 1
                return nil
            }
            work.queuedToOpen.remove(ByteName(next))
            return next
        }
    }
}
