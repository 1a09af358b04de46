/// Acts of an operator. Each is recorded.
extension Journal {
    /// Cancels an effect, whatever it waits for. It sends no further action to the reducer but that of `onCancel`.
    ///
    /// If a store or a host of this process has the stream, it acts at once; otherwise the next opening of the stream
    /// does.
    ///
    /// - Parameters:
    ///   - run: the effect.
    ///   - name: its stream.
    ///   - reason: why, for the record.
    ///   - user: the operator, for the record.
    /// - Returns: the effect as it is recorded now.
    /// - Throws: ``JournalError`` if there is no such effect, it has ended, or it is a message to another machine; if
    ///   the journal cannot write.
    @discardableResult
    @concurrent public func cancel(
        _ run: RunKey, in name: String, reason: String? = nil, user: String? = nil
    ) async throws(JournalError) -> EffectRun {
        try await intervene(.cancel, run, in: name, reason: reason, user: user)
    }

    /// Runs an effect again that has failed, or was cancelled, also by its queue; or starts one at once that waits: for
    /// its next attempt, its delay, or a decision. Its restart policy is ignored, so its body can run twice.
    ///
    /// If a store or a host of this process has the stream, it acts at once; otherwise the next opening of the stream
    /// does.
    ///
    /// - Parameters:
    ///   - run: the effect.
    ///   - name: its stream.
    ///   - reason: why, for the record.
    ///   - user: the operator, for the record.
    /// - Returns: the effect as it is recorded now.
    /// - Throws: ``JournalError`` if there is no such effect, or its status does not allow it.
    @discardableResult
    @concurrent public func retry(
        _ run: RunKey, in name: String, reason: String? = nil, user: String? = nil
    ) async throws(JournalError) -> EffectRun {
        try await intervene(.retry, run, in: name, reason: reason, user: user)
    }

    /// Runs an effect that is asked or parked.
    ///
    /// If a store or a host of this process has the stream, it acts at once; otherwise the next opening of the stream
    /// does.
    ///
    /// - Parameters:
    ///   - run: the effect.
    ///   - name: its stream.
    ///   - reason: why, for the record.
    ///   - user: the operator, for the record.
    /// - Returns: the effect as it is recorded now.
    /// - Throws: ``JournalError`` if there is no such effect, or it is neither asked nor parked.
    @discardableResult
    @concurrent public func release(
        _ run: RunKey, in name: String, reason: String? = nil, user: String? = nil
    ) async throws(JournalError) -> EffectRun {
        try await intervene(.release, run, in: name, reason: reason, user: user)
    }

    /// Skips a step whose reducer crashes the app, or whose action cannot be decoded. Only a step without a recorded
    /// outcome can be skipped; for an older one, fork the journal.
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

    /// Cancels, retries or releases an effect as an operator, and records that.
    ///
    /// - Returns: the effect as it is recorded now.
    @discardableResult
    @concurrent package func intervene(
        _ act: Intervention.Act, _ run: RunKey, in name: String, reason: String? = nil, user: String? = nil
    ) async throws(JournalError) -> EffectRun {
        let remarks = Intervention.Remarks(reason: reason, user: user)
        var mayBeClosed = true
        var cannotOpen: JournalError?
        while true {
            if cannotOpen == nil, let intervene = try interveningStore(of: name) {
                do throws(JournalError) {
                    cannotOpen = try await intervene(act, run, remarks)
                } catch {
                    // A host has closed the idle store meanwhile.
                    guard error.code == .closed, mayBeClosed else { throw error }
                    mayBeClosed = false
                    continue
                }
                // A host cannot open the stream, perhaps because of this effect: then it is done in the file.
                if cannotOpen != nil { continue }
                guard let record = try reader.effectRun(run, in: name) else {
                    throw ErrorLocation(file: file, stream: name).noEffect(run)
                }
                return record
            }
            do throws(JournalError) {
                let record = try await writer.exclusively { state throws(JournalError) in
                    try state.intervene(act, run, in: name, remarks)
                }
                // Perhaps the host can open it now.
                if cannotOpen != nil { hosts.mustReopen(name, of: try reader.stream(name).machine) }
                return record
            } catch {
                if error.code == .streamOpen, let cannotOpen { throw cannotOpen }
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
                return nil
            }
        }
        guard let host = hosts.intervening(for: info.machine) else { return nil }
        return { act, run, remarks throws(JournalError) in try await host(name, act, run, remarks) }
    }
}

extension JournalError {
    /// Whether it says that what a stream stores cannot be read, or does not fit the code.
    var isOfStreamContent: Bool {
        switch code {
        case .corrupt, .notDecodable, .noUpcaster, .newerMachine, .noUsableSnapshot, .otherEffects: true
        default: false
        }
    }
}
