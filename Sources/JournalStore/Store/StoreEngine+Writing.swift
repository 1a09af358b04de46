// Records on their way to the disk, and a disk that is full.

extension StoreEngine {
    /// Passes the records that were made to the outcome buffer.
    func keepRecords() { recorder.keep(changes: lazyScheduler.changes) }

    /// Has a transaction made for them.
    func writeNow() {
        keepRecords()
        submitBarrier { _ in }
    }

    /// Calls back after a transaction that takes all deferred writes of this store, and has given them their results.
    func submitBarrier(_ callback: @escaping @Sendable (Result<[Appended], JournalError>) -> Void) {
        stream.journal.writer.submit(Submission(after: recorder.buffer, callback))
    }

    /// Answers once all records so far are on the disk.
    func answerWhenWritten(_ reply: @escaping Event.Reply) {
        keepRecords()
        guard !isOver else { return reply(.failure(refusal)) }
        submitBarrier { [buffer = recorder.buffer, name = stream.name] result in
            switch (result, buffer.failure) {
            case (.failure(let error), _), (.success, let error?):
                reply(.failure(changed(error) { $0.stream = $0.stream ?? name }))
            case (.success, nil): reply(.success(()))
            }
        }
    }

    /// Records are on the disk, or could not be written.
    func written(_ result: Result<Int, JournalError>) {
        switch result {
        case .success(let changes):
            reportedFailure = nil
            let now = moment
            scheduler.wereCommitted(changes, at: now)
            broadcast.forgetCancelled(upTo: stream.watermark.reached)
            startDue(now)
        case .failure(let error):
            if error.isFinal { return fail(error) }
            if error.isTransient { return }
            reportOnce(error)
            let now = moment
            scheduler.couldNotStart(error: Self.text(of: error), at: now)
            startDue(now)
        }
    }

    /// Reports that records cannot be written, once for each error, however often the write is tried.
    func reportOnce(_ error: JournalError) {
        guard reportedFailure?.value != error else { return }
        reportedFailure = Boxed(error)
        options.notify(.recordIncomplete, changed(error) { $0.stream = $0.stream ?? stream.name })
    }

    /// An error as it is recorded: the beginning of its description, or its type if the description is blank.
    static func text(of error: any Error) -> String {
        let text = shortened("\(error)")
        return text.allSatisfy(\.isWhitespace) ? StoredName.of(type(of: error)) : text
    }

    /// The part of an error's description that is recorded.
    static func shortened(_ text: String) -> String {
        // A `Character` can have any number of scalars.
        String(text.unicodeScalars.prefix(4096))
    }

    /// Why a run has failed whose last action cannot be stored. If that is the action of `onFailure`, the run's own
    /// error comes first.
    static func text(of error: any Error, unsent kind: Send.Kind) -> String {
        guard case .failure(let own) = kind else { return text(of: error) }
        return "\(own); the action of its `onFailure` cannot be stored: \(text(of: error))"
    }

    // MARK: A full disk

    /// Starts nothing new until there is room.
    func waitForRoom() {
        scheduler.isPaused = true
        fullDisk.retryAt = ticker.now() + .seconds(1)
    }

    /// Tries again what met a full disk.
    func endFullDisk() {
        guard fullDisk.retryAt != nil else { return }
        let events = fullDisk.events
        fullDisk = FullDisk()
        scheduler.isPaused = isClosed
        gate.withLock { $0.queue.unstick() }
        // A message that waits for records of this store. Other stores' transactions do not take them.
        if stream.watermark.isBlocked { writeNow() }
        for event in events { handle(event) }
        startDue(moment)
    }

    // MARK: Time

    /// - Parameter due: what the sleeper waited for.
    func tick(_ due: Duration) {
        // It can have been replaced meanwhile. A clock can wake it too early, and then it must sleep again.
        if sleeper?.until == due { sleeper = nil }
        let now = moment
        if let retryAt = fullDisk.retryAt, retryAt <= now.tick { endFullDisk() }
        startDue(now)
        submitAdmitted()
    }

    /// Sleeps until something is due.
    func setSleeper() {
        let times = [lazyScheduler.nextWake, fullDisk.retryAt, unstableOpening?.wakeAt]
        guard !isOver, let next = times.lazy.compactMap(\.self).min() else {
            sleeper?.task.cancel()
            sleeper = nil
            return
        }
        if let sleeper, sleeper.until == next { return }
        sleeper?.task.cancel()
        sleeper = (
            next,
            options.spawn { [weak self, ticker] in
                guard (try? await ticker.sleep(next)) != nil else { return }
                self?.post(.tick(next))
            }
        )
    }
}
