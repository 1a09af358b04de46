import JournalStore

extension Model {
    /// A reducer returned an effect.
    mutating func planned(_ spec: Spec, stream: String, step: Int, time: Timestamp) {
        let place = place(stream, step, spec.name)
        if runs[place] == nil {
            runs[place] = Run(spec: spec, stream: stream, step: step, time: time)
        }
        if let lane = spec.lane { note(lane) }
    }

    /// A body began.
    mutating func started(_ place: String, key: String, attempt: Int, opening: Int, now: Timestamp) -> String? {
        guard var run = runs[place] else { return "\(place) began, and no reducer has returned it" }
        if let known = keys[key], known != place {
            return "\(place) and \(known) have the same idempotency key"
        }
        if let known = run.key, known != key, !mayFail {
            return "\(place) has another idempotency key than before"
        }
        if isSkipped(run.stream, run.step) { return "\(place) began, and its step was skipped" }
        if !isReturned(run.spec, run.stream) { return "\(place) began, and no reducer returns it any more" }
        if run.isCancelled { return "\(place) began after its cancellation was acknowledged" }
        if let status = run.status, run.hasEnded {
            return "\(place) began, and it had ended: \(status)"
        }
        if run.spec.restart != .resume, run.openings.contains(where: { $0 != opening }) {
            return "\(place) began again after a restart, and its policy is '\(run.spec.restart)'"
        }
        if run.retries == 0, !mayJump, now < run.due(0) { return "\(place) began at \(now), before its delay was over" }
        // Only the first attempt can be forgotten if the process dies.
        if let last = run.attempt, last.opening == opening || last.number > 1, attempt <= last.number {
            return "\(place) began as attempt \(attempt) after attempt \(last.number)"
        }
        if attempt == 1, run.openings.isEmpty, run.retries == 0, let problem = checkPause(of: run, place, now, opening)
        {
            return problem
        }
        if let problem = checkSlot(of: run, place, opening) { return problem }
        run.attempt = (opening, attempt)
        run.starts[attempt] = now
        run.openings.insert(opening)
        run.key = key
        keys[key] = place
        runs[place] = run
        return nil
    }

    /// The body of a remembered step ran.
    func drew(_ place: String) -> String? {
        runs[place]?.remembered == nil ? nil : "\(place) ran a step again whose result was remembered"
    }

    /// A remembered step returned its result.
    mutating func remembered(_ place: String, _ value: Int) -> String? {
        if let known = runs[place]?.remembered, known != value {
            return "\(place) got \(value) from a step that had returned \(known)"
        }
        runs[place]?.remembered = value
        return nil
    }

    /// A cancellation is requested.
    mutating func cancels(id: String) { cancelledIDs.insert(id) }

    mutating func cancels(_ places: [String]) {
        for place in places { runs[place]?.mayBeCancelled = true }
    }

    /// The cancellation of all that follows from a step is requested.
    mutating func cancels(root: Int, of stream: String) { cancelledRoots[stream, default: []].insert(root) }

    /// A cancellation of these runs was acknowledged.
    mutating func cancelled(_ places: [String]) {
        for place in places { runs[place]?.isCancelled = true }
    }

    /// Nothing was started again: the run is in no state for that.
    mutating func notRetried(_ place: String) { runs[place]?.mayBeRetried = false }

    mutating func retried(_ place: String) {
        guard var run = runs[place] else { return }
        run.retries += 1
        run.retriedAfter = newestStep(of: run.stream)
        (run.isCancelled, run.isSetAside, run.mayBeRetried, run.openings) = (false, false, true, [])
        (run.mayBeReleased, run.releaseEnds) = (true, false)
        runs[place] = run
    }

    /// A stream is opened: what its last store has not written is forgotten. The next reading shows what it has.
    mutating func opens(_ stream: String) {
        for (place, run) in runs where run.stream == stream && run.mayBeReleased { runs[place]?.releaseEnds = true }
    }

    /// An operator's call to start a run again has returned: until then, other steps may have come before it.
    mutating func retryReturned(_ place: String) {
        guard let stream = runs[place]?.stream else { return }
        let newest = newestStep(of: stream)
        runs[place]?.retriedAfter = newest
    }

    /// An operator has let a run begin that had so many attempts.
    mutating func decided(_ place: String, attempts: Int) {
        if !mayFail { runs[place]?.decidedAt = attempts }
    }

    /// The newest step that is known. Those whose dispatch has returned, or that were reduced, may not have been read
    /// yet.
    private func newestStep(of name: String) -> Int {
        let stream = streams[name]
        return max(head(of: name), stream?.acknowledged ?? 0, stream?.pending.keys.max() ?? 0)
    }
}
