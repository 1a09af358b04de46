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
        let remarks = Intervention.Remarks(reason: reason, user: user)
        let info = try reader.stream(name)
        while true {
            let done = try await inFile(of: info) { state throws(JournalError) in
                try state.skip(step, in: name, remarks)
            }
            switch done {
            case .success: return hosts.mustReopen(name, of: info.machine)
            case .failure(let error):
                let isOpen = stores.withLock { $0.byStream[info.id] != nil }
                guard !isOpen, await waitForChange(of: name) else { throw error }
            }
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
        let info = try reader.stream(name)
        // A store that is being closed.
        var refusing: (any OpenStore)?
        var isHostClosing = false
        var cannotOpen: JournalError?
        while true {
            let store = cannotOpen == nil ? stores.withLock { $0.byStream[info.id]?.store } : nil
            let asked = store === refusing ? nil : store
            do throws(JournalError) {
                if let asked {
                    try await asked.intervene(act, run, remarks)
                    return try recorded(run, in: name)
                }
                if cannotOpen == nil, !isHostClosing, let host = hosts.intervening(for: info.machine) {
                    cannotOpen = try await host(name, act, run, remarks)
                    if cannotOpen == nil { return try recorded(run, in: name) }
                }
                // No store has the stream, or its host cannot open it, perhaps because of this effect.
                let done = try await inFile(of: info) { state throws(JournalError) in
                    try state.intervene(act, run, in: name, remarks)
                }
                if case .success(let record) = done {
                    // Perhaps the host can open it now.
                    if cannotOpen != nil { hosts.mustReopen(name, of: info.machine) }
                    return record
                }
                if stores.withLock({ $0.byStream[info.id] != nil }) { cannotOpen = nil }
            } catch {
                switch error.code {
                case .closed where stores.withLock { $0.isClosed }: throw error
                case .closed where asked != nil:
                    refusing = asked
                    // The host waits for the stores that it closes.
                    if hosts.hasHost(info.machine) { continue }
                // It opens nothing any more.
                case .closed where !isHostClosing: isHostClosing = true
                case .streamOpen where isChanging(name): break
                default: throw error
                }
            }
            guard await waitForChange(of: name) else {
                throw ErrorLocation(file: file, stream: name).mustNotWait()
            }
        }
    }

    /// An effect as it is recorded now.
    private func recorded(_ run: RunKey, in name: String) throws(JournalError) -> EffectRun {
        guard let record = try reader.effectRun(run, in: name) else {
            throw ErrorLocation(file: file, stream: name).noEffect(run)
        }
        return record
    }

    /// Carries out an act in the file.
    ///
    /// - Returns: the error that the stream is open, if a store is opening or closing it or has it.
    private func inFile<Value: Sendable>(
        of info: StreamInfo, _ body: @escaping @Sendable (inout WriterState) throws(JournalError) -> Value
    ) async throws(JournalError) -> Result<Value, JournalError> {
        try await writer.exclusively { [self] state throws(JournalError) in
            do throws(JournalError) {
                return .success(try body(&state))
            } catch {
                // Asked here, where no stream can be opened or closed meanwhile.
                let isOfStore = stores.withLock { $0.byStream[info.id] != nil || $0.isChanging(info.name) }
                guard error.code == .streamOpen, isOfStore else { throw error }
                return .failure(error)
            }
        }
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
