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
        _ = await progress.wait { _ in self.work.withLock { $0.starting.isEmpty || $0.isClosed } ? true : nil }
        isStarted.change { $0 = true }
    }

    /// Reads on in the list of streams after a pause. Meanwhile nothing but its callers keeps the host alive.
    ///
    /// - Returns: false if the host was closed.
    private func startLater(from place: WakingPlace) -> Bool {
        let until = soon
        return work.withLock { work in
            guard !work.isClosed else { return false }
            work.starter = journal.options.spawn { [weak self, sleep = ticker.sleep] in
                guard (try? await sleep(until)) != nil else { return }
                await self?.start(from: place)
            }
            return true
        }
    }

    /// How many streams may wait to be opened when the start reads on.
    private static var mostAhead: Int { 500 }

    /// Returns once the start can read on. A stream that takes long to open does not hold up later pages.
    private func begin(_ page: [WakingStream]) async {
        let time = journal.options.wallClock()
        let now = work.withLock { work in
            page.filter { stream in
                guard case .at(let due) = stream.plan, due > time else {
                    work.starting.insert(ByteName(stream.name))
                    return true
                }
                // Since the page was read, the stream can have been opened, and closed with an earlier time.
                work.timers.streams.add(stream.name, noLaterThan: due)
                work.recovery.waiting += 1
                return false
            }
        }
        setSleepers()
        openLater(now.map(\.name))
        _ = await progress.wait { _ in
            self.work.withLock { $0.toOpen.count < Self.mostAhead || $0.isClosed } ? true : nil
        }
    }

    private func openOne(_ stream: String) async {
        do throws(JournalError) {
            // Also if it is just being closed: then it is opened again.
            _ = try await store(of: stream)
            work.withLock { if $0.starting.remove(ByteName(stream)) != nil { $0.recovery.opened += 1 } }
        } catch {
            // Together: when no stream is left, the start is over.
            let isOfStart = work.withLock { work in
                guard work.starting.remove(ByteName(stream)) != nil else { return false }
                if error.code != .closed { work.recovery.add(error) }
                return true
            }
            if error.code != .closed { failedToWake(stream, error, isOfStart) }
        }
        noteProgress()
    }

    /// - Parameter isOfStart: whether the start needs the stream. What is opened for another reason does not count.
    private func failedToWake(_ stream: String, _ error: JournalError, _ isOfStart: Bool) {
        // The disk is full, another connection holds the database, too many files are open, or there is too little
        // memory: it is tried again.
        let canPass = error.isRetryable || error.leavesJournalOpen
        let isNew =
            if canPass {
                tryAgain(stream, error.code)
            } else if error.isOfStoppedJournal {
                // All streams have the same error.
                isFirstFinalError()
            } else {
                // After a change of the code, thousands of streams can have the same error.
                !isOfStart || isNewCause(error)
            }
        if isNew { journal.options.notify(.openingFailed, error) }
        if canPass { setSleepers() }
    }

    /// Whether it is the first error of the start with this cause.
    private func isNewCause(_ error: JournalError) -> Bool {
        work.withLock { $0.causes.insert(FailureCause(code: error.code, message: error.message)).inserted }
    }

    /// Whether it is the first error that says that the journal has stopped.
    private func isFirstFinalError() -> Bool {
        work.withLock { work in
            defer { work.hasStopped = true }
            return !work.hasStopped
        }
    }

    /// Plans another opening of a stream: after as long as all have failed, at least a second, at most ten. There can be
    /// thousands of streams that wait for room on a full disk.
    ///
    /// - Returns: whether the error is another one than those since the last opening that succeeded.
    private func tryAgain(_ stream: String, _ code: JournalError.Code) -> Bool {
        let now = ticker.now()
        return work.withLock { work in
            var failing = work.failing ?? (now, [], [])
            let isNew = failing.codes.insert(code).inserted
            failing.streams.insert(ByteName(stream))
            work.failing = failing
            work.pauses.streams.add(stream, at: now + min(max(now - failing.since, pause), .seconds(10)))
            return isNew
        }
    }

    /// Opens a stream again after a pause.
    func openSoon(_ stream: String) {
        work.withLock { $0.pauses.streams.add(stream, at: soon) }
        setSleepers()
    }

    /// How long it waits before it tries something again.
    private var pause: Duration { .seconds(1) }

    /// When something is tried again.
    var soon: Duration { ticker.now() + pause }

    /// Reports what the start could not open.
    private func note(_ error: JournalError) {
        work.withLock { $0.recovery.add(error) }
        if isNewCause(error) { journal.options.notify(.openingFailed, error) }
    }

    // MARK: Timers and pauses

    /// Sleeps until the next stream is due.
    func setSleepers() {
        setSleeper(\.timers, tick: tick(of:)) { $0.openDueTimers($1) }
        setSleeper(\.pauses, tick: \.self) { $0.openAfterPause($1) }
    }

    /// - Parameters:
    ///   - tick: when to look for streams that are due at a time, by the ticker.
    ///   - open: called then, with the time.
    private func setSleeper<Time>(
        _ alarm: WritableKeyPath<Work, Alarm<Time>>, tick: (Time) -> Duration,
        open: @escaping @Sendable (MachineHost, Time) -> Void
    ) {
        work.withLock { work in
            guard !work.isClosed, let next = work[keyPath: alarm].next else { return }
            work[keyPath: alarm].cancelSleeper()
            let until = tick(next)
            let task = journal.options.spawn { [weak self, sleep = ticker.sleep] in
                guard (try? await sleep(until)) != nil, let self else { return }
                open(self, next)
            }
            work[keyPath: alarm].sleeper = (next, task)
        }
    }

    /// When to read the wall clock for a time of it.
    private func tick(of time: Timestamp) -> Duration {
        let wait = time.microseconds.subtractingSaturating(journal.options.wallClock().microseconds)
        return ticker.now() + min(.microseconds(max(0, wait)), ticker.clockCheck)
    }

    /// Opens the streams whose timers are due.
    ///
    /// - Parameter awaited: what the sleeper waited for.
    func openDueTimers(_ awaited: Timestamp) { openDue(\.timers, awaited, journal.options.wallClock) }

    private func openAfterPause(_ awaited: Duration) { openDue(\.pauses, awaited, ticker.now) }

    private func openDue<Time>(_ alarm: WritableKeyPath<Work, Alarm<Time>>, _ awaited: Time, _ now: () -> Time) {
        let due = work.withLock { work in
            work[keyPath: alarm].endSleep(awaited)
            return work.isClosed ? [] : work[keyPath: alarm].streams.take(at: now())
        }
        openLater(due)
        setSleepers()
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

extension JournalError {
    /// Whether nothing can be opened any more. A read that meets a bad sector is an error of one stream.
    fileprivate var isOfStoppedJournal: Bool { isFinal && code != .inputOutput }
}
