extension Journal {
    /// Removes the entries of a stream up to the newest snapshot before a step. That snapshot becomes a base.
    ///
    /// Entries that a live run needs, entries that are not settled, and dispatch IDs stay. A long pruning takes several
    /// transactions, so that others can commit in between. Each leaves a base and the entries after it. If the process
    /// ends before the last one, or one of them fails, what was removed stays removed, and another call goes on.
    ///
    /// - Parameters:
    ///   - name: the stream.
    ///   - step: the first step that must stay. One after the end of the stream means its last step: then as much is removed as can be.
    /// - Throws: ``JournalError`` if there is no snapshot before that step, or it does not match the entry of its step.
    @discardableResult
    @concurrent public func prune(_ name: String, before step: Int) async throws(JournalError) -> PruneReport {
        var (before, removed) = (step, 0)
        while true {
            let part = try await writer.exclusively { [before] state throws(JournalError) in
                try state.prune(name, before: before)
            }
            removed += part.report.removedEntries
            if part.isLast { return changed(part.report) { $0.removedEntries = removed } }
            // The stream can have become longer.
            before = part.before
        }
    }

    /// Removes a snapshot that is only a cache.
    ///
    /// - Throws: ``JournalError`` if there is no such snapshot, or if it is more than a cache, such as a base.
    @concurrent package func dropSnapshot(of name: String, at step: Int) async throws(JournalError) {
        try await writer.exclusively { state throws(JournalError) in try state.dropSnapshot(of: name, at: step) }
    }

    /// Cancels, retries or releases an effect as an operator, and records that. If a store or a host of this process has the
    /// stream, it acts at once; otherwise the next opening of the stream does.
    ///
    /// - Parameters:
    ///   - act: what to do with the effect.
    ///   - run: the effect.
    ///   - name: its stream.
    ///   - reason: why, for the record.
    ///   - user: the operator, for the record.
    /// - Returns: the effect as it is recorded now.
    /// - Throws: ``JournalError`` if there is no such effect, or its status does not allow the act.
    @discardableResult
    @concurrent public func intervene(
        _ act: Intervention.Act, _ run: RunKey, in name: String, reason: String? = nil, user: String? = nil
    ) async throws(JournalError) -> EffectRun {
        let remarks = Intervention.Remarks(reason: reason, user: user)
        var mayBeClosed = true
        while true {
            if let intervene = try interveningStore(of: name) {
                do throws(JournalError) { try await intervene(act, run, remarks) } catch {
                    // A host has closed the idle store meanwhile.
                    guard error.code == .closed, mayBeClosed else { throw error }
                    mayBeClosed = false
                    continue
                }
                guard let run = try reader.effectRun(run, of: name) else {
                    throw JournalError(
                        .notInThatState, "The effect \(run) was pruned.", file: file, stream: name, step: run.step)
                }
                return run
            }
            do throws(JournalError) {
                return try await writer.exclusively { state throws(JournalError) in
                    try state.intervene(act, run, in: name, remarks)
                }
            } catch {
                // A store has opened it meanwhile.
                guard error.code == .streamOpen, try interveningStore(of: name) != nil else { throw error }
            }
        }
    }

    /// How to act on a stream that a store has open or a host can open; nil if there is neither.
    private func interveningStore(of name: String) throws(JournalError) -> Intervening? {
        let info = try reader.stream(name)
        if let open = stores.withLock({ $0.byStream[info.id] }) {
            return { [file] act, run, remarks throws(JournalError) in
                guard let store = open.store else {
                    throw JournalError(.closed, "The store was closed.", advice: "Try again.", file: file)
                }
                try await store.intervene(act, run, remarks)
            }
        }
        guard let host = hosts.intervening(for: info.machine) else { return nil }
        return { act, run, remarks throws(JournalError) in try await host(name, act, run, remarks) }
    }

    /// Skips a step whose reducer crashes the app. Only a step without a recorded outcome can be skipped; for an older
    /// one, fork the journal.
    ///
    /// - Parameters:
    ///   - step: the step.
    ///   - name: its stream, which no store has open.
    ///   - reason: why, for the record.
    ///   - user: the operator, for the record.
    /// - Throws: ``JournalError`` if there is no such step, it is settled, or the stream is open.
    @concurrent public func skip(
        _ step: Int, in name: String, reason: String? = nil, user: String? = nil
    ) async throws(JournalError) {
        try await writer.exclusively { state throws(JournalError) in
            try state.skip(step, in: name, Intervention.Remarks(reason: reason, user: user))
        }
    }

    /// Reads the whole journal and checks it: see ``JournalReader/verify()``.
    ///
    /// - Throws: ``JournalError`` if the journal cannot be read at all. Damage that is found is in the report.
    @concurrent
    public func verify() async throws(JournalError) -> VerificationReport {
        try reader.verify()
    }
}
