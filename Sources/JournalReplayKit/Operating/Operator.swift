import JournalStore

/// Carries out the acts of an operator. Each act of the tool goes through ``carryOut(_:reason:_:)``.
struct Operator {
    let reader: JournalReader

    /// Carries out acts, in order. Each is committed and recorded in the journal before the next one begins.
    ///
    /// - Parameter done: Called after each act.
    /// - Throws: ``JournalError`` while an app holds the journal, or if an act is not possible any more; the acts before
    ///   it stay done.
    func carryOut(_ acts: [OperatorAct], reason: String?, _ done: (OperatorAct) throws -> Void) async throws {
        guard !acts.isEmpty else { return }
        try await reader.writing { journal in
            for act in acts {
                if let ordinal = act.ordinal {
                    let key = RunKey(step: act.step, ordinal: ordinal)
                    try await journal.intervene(act.act, key, in: act.stream, reason: reason)
                } else {
                    try await journal.skip(act.step, in: act.stream, reason: reason)
                }
                try done(act)
            }
        }
    }
}
