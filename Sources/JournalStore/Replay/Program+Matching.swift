// Finding the closure effects of records.

extension Program {
    /// Matches the records of a step's closure effects with what the step returns, by name and ID.
    ///
    /// If several have the same name and ID, the ordinals decide, and the match is ambiguous. None is matched twice.
    ///
    /// - Parameters:
    ///   - all: the records of all effects of the step. One that has ended can be the one that the code still returns.
    ///   - trustsOrdinals: whether the same code has made the records in this process: then the ordinals are right.
    /// - Returns: the matched runs, and the records that the step returns no effect for.
    func match(
        _ records: [EffectRun], among all: [EffectRun], with reduction: Reduction<Action>, _ entry: Appended.Stamp,
        trustsOrdinals: Bool = false
    ) -> (found: [RecoveredRun<Action>], orphaned: [EffectRun]) {
        var returned = returned(by: reduction, among: all, entry)
        var (found, orphaned): ([RecoveredRun<Action>], [EffectRun]) = ([], [])
        // Records whose ordinal matches go first.
        let first = records.filter { returned.hasOrdinal(of: $0) }
        let others = records.filter { !returned.hasOrdinal(of: $0) }
        for record in first + others {
            if let run = returned.take(record, trustsOrdinals: trustsOrdinals) {
                found.append(run)
            } else {
                orphaned.append(record)
            }
        }
        return (found, orphaned)
    }

    /// The closure effects that a step returns.
    ///
    /// - Parameter all: the records of all effects of the step.
    func returned(
        by reduction: Reduction<Action>, among all: [EffectRun], _ entry: Appended.Stamp
    ) -> ReturnedEffects<Action> {
        ReturnedEffects(reduction, among: all, entry) { try? ids.encode($0) }
    }
}

extension Reduction {
    /// The closure effects, each with its ordinal and its ID as it is stored.
    ///
    /// Without the ephemeral ones: they have no record.
    func closures(_ encode: (AnyEffectID) -> String?) -> [(ordinal: Int, run: Effect<Action>.Run, id: String?)] {
        var found: [(ordinal: Int, run: Effect<Action>.Run, id: String?)] = []
        var ordinal = 0
        for case .run(let run) in effects {
            if case .closure = run.work, !run.isEphemeral { found.append((ordinal, run, run.id.flatMap(encode))) }
            ordinal += 1
        }
        return found
    }
}
