import JournalStore

/// Carries out the acts of an operator. Each act of the tool goes through ``carryOut(_:reason:_:)``.
struct Operator {
    let reader: JournalReader
    var patience = OperatorClient.patience
    /// How long many acts hold the journal at once, so that an app can start meanwhile, and how long others then have.
    var turn = Duration.seconds(1)
    var pause = Duration.milliseconds(500)

    /// Carries out acts, in order: through the process that holds the journal, or, if none does, in the file. Each is
    /// committed and recorded in the journal before the next one begins.
    ///
    /// - Parameter done: called after each act, with the error if it is not possible on this effect.
    /// - Throws: ``JournalError`` if the process does not answer or the journal cannot be written, and what `done`
    ///   throws. The acts before it stay done.
    func carryOut(
        _ acts: [OperatorAct], reason: String?, _ done: (OperatorAct, JournalError?) throws -> Void
    ) async throws {
        var rest = acts[...]
        var deadline = ContinuousClock.now + patience
        while !rest.isEmpty {
            let count = rest.count
            let obstacle = try await carryOut(&rest, reason, done)
            if rest.count < count { deadline = ContinuousClock.now + patience }
            guard let obstacle else { continue }
            guard ContinuousClock.now < deadline else { throw obstacle }
            try await Task.sleep(for: .milliseconds(50))
        }
    }

    /// - Returns: why acts are left over; nil if none is. It can be gone in a moment: a process can open or release the
    ///   journal between two looks, and another operator holds it only until its acts are done.
    private func carryOut(
        _ rest: inout ArraySlice<OperatorAct>, _ reason: String?, _ done: (OperatorAct, JournalError?) throws -> Void
    ) async throws -> JournalError? {
        if let file = reader.file, let holder = try JournalHolder(of: file) {
            let client = OperatorClient(file: file, holder: holder, patience: patience)
            if holder.isHere, holder.address == nil { return client.noSocket }
            return try await carryOut(&rest, client, reason, done) ? nil : client.notListening
        }
        do {
            try await reader.writing { journal in
                let user = UserName.current
                let end = ContinuousClock.now + turn
                while var act = rest.first {
                    let error = try await act.failure(journal, reason: reason, user: user)
                    if error == nil { act.noteRecorded(reader) }
                    try done(act, error)
                    rest.removeFirst()
                    guard ContinuousClock.now < end else { break }
                }
            }
            if !rest.isEmpty { try await Task.sleep(for: pause) }
            return nil
        } catch let error as JournalError where error.code == .inUse {
            return error
        }
    }

    /// - Returns: false if the process does not listen any more.
    private func carryOut(
        _ rest: inout ArraySlice<OperatorAct>, _ client: OperatorClient, _ reason: String?,
        _ done: (OperatorAct, JournalError?) throws -> Void
    ) async throws -> Bool {
        while var act = rest.first {
            do throws(JournalError) {
                guard let answer = try await client.answer(to: act.request(reason: reason)) else { return false }
                act.waitsForOpening = answer.waitsForOpening == true
            } catch {
                guard error.isOfOneEffect else { throw error }
                try done(act, error)
                rest.removeFirst()
                continue
            }
            act.noteRecorded(reader)
            try done(act, nil)
            rest.removeFirst()
        }
        return true
    }
}

extension JournalError {
    /// Whether it says something of the effect or its stream only, so that the same act on other effects can succeed: the
    /// effect has ended, the code does not return it any more, or the stream cannot be opened.
    var isOfOneEffect: Bool {
        switch code {
        case .notInThatState, .noSuchStep, .unknownStream, .otherEffects, .otherMachine, .newerMachine, .noUpcaster,
            .notDecodable, .notStorable, .noUsableSnapshot, .corrupt, .streamOpen:
            true
        default: false
        }
    }
}

extension OperatorAct {
    fileprivate func request(reason: String?) -> OperatorRequest.Act {
        OperatorRequest.Act(act, stream: stream, step: step, ordinal: ordinal, reason: reason)
    }

    /// Takes the status before the act from its record: since the plan was made, the effect can have begun.
    fileprivate mutating func noteRecorded(_ reader: JournalReader) {
        guard let ordinal else { return }
        let run = RunKey(step: step, ordinal: ordinal)
        before = (try? reader.newestIntervention(act, on: run, in: stream))?.before ?? before
    }

    /// Carries out the act in the file, and notes whether the next opening has to complete it.
    ///
    /// - Returns: the error if it is not possible any more.
    fileprivate mutating func failure(
        _ journal: Journal, reason: String?, user: String
    ) async throws(JournalError) -> JournalError? {
        do throws(JournalError) {
            if let ordinal {
                let run = RunKey(step: step, ordinal: ordinal)
                let after = try await journal.intervene(act, run, in: stream, reason: reason, user: user)
                waitsForOpening = after.status == .cancelling
            } else {
                try await journal.skip(step, in: stream, reason: reason, user: user)
            }
            return nil
        } catch {
            guard error.isOfOneEffect else { throw error }
            return error
        }
    }
}
