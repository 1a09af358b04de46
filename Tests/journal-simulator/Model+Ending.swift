import JournalStore

extension Model {
    /// Nothing is under way any more, and all entries and records were read.
    func ended(pruned: [String: Int]) -> String? {
        for (name, stream) in streams.sorted(by: { $0.key < $1.key }) {
            if let step = stream.pending.keys.min() {
                return "step \(step) of \(name) was reduced and is not in the journal"
            }
            if stream.acknowledged > stream.entries.count {
                return "step \(stream.acknowledged) of \(name) was acknowledged and is not in the journal"
            }
            let initial = place(name, 0, Game.initial.name)
            if runs[initial]?.status?.isFinal != true { return "\(initial): the effect was lost, or never ends" }
            for (index, entry) in stream.entries.enumerated() where entry.isReduced && entry.tells && !mayFail {
                if !told.contains("\(name)/\(index + 1)") {
                    return "the message of \(entry.act.name) was lost"
                }
            }
            for (index, entry) in stream.entries.enumerated() where entry.isReduced && index >= pruned[name] ?? 0 {
                for spec in Model.specs(of: entry.act) where spec.kind != .ephemeral {
                    guard let run = runs[place(name, index + 1, spec.name)], let status = run.status else {
                        // The step was settled by a version that does not return it.
                        if !spec.isReturned(by: stream.version) { continue }
                        return "\(place(name, index + 1, spec.name)): the effect was lost"
                    }
                    guard status.isFinal else {
                        return "\(place(name, index + 1, spec.name)): it never ends (\(status))"
                    }
                    if let problem = checkActions(of: run, status, place(name, index + 1, spec.name)) { return problem }
                }
            }
        }
        return nil
    }

    func checkActions(of run: Run, _ status: EffectRun.Status, _ place: String) -> String? {
        let spec = run.spec
        let what = "\(place) (\(spec.kind), \(status)) has sent \(run.actions) actions"
        if run.reports > (spec.reportsFailure ? 1 + run.retries : 0) {
            return "\(place) (\(spec.kind), \(status)) has reported \(run.reports) failures"
        }
        if run.undone > (spec.isUndone ? 1 + run.retries : 0) {
            return "\(place) (\(spec.kind), \(status)) has sent \(run.undone) cancel actions"
        }
        if status == .cancelled, spec.isUndone, run.undone == 0, !run.wasReplaced, !mayFail {
            return "\(place) (\(spec.kind)) was cancelled, and its cancel action was lost"
        }
        switch (spec.kind, status) {
        case (.fire, .completed): return run.actions == 0 ? nil : what
        case (.stream, .completed), (.sequence, .completed): return run.actions == spec.count ? nil : what
        case (.run, .completed), (.described, .completed), (.after, .completed), (.at, .completed):
            return run.actions == 1 || run.actions == 0 && run.wasSkipped ? nil : what
        case (.every, .cancelled):
            // A timer that was retried begins to count again.
            let ticks = spec.count * (1 + run.retries) + skippedTicks(of: run, place)
            return run.actions <= ticks ? nil : what
        case (_, .failed):
            let isReported = run.reports > 0 || !spec.reportsFailure || mayFail
            // An operator or a restart may have run it again after it had sent its action.
            let isRepeated = run.retries > 0 || mayFail && spec.kind == .sequence
            return isReported && (run.actions == 0 || spec.count > 1 || isRepeated) ? nil : what
        case (_, .discarded): return run.actions == 0 ? nil : what
        default: return nil
        }
    }

    /// The IDs that an action cancels, with its cascade.
    static func cancels(of act: Act) -> [String] {
        ops(of: act).compactMap { if case .cancel(let id) = $0 { id } else { nil } }
    }

    /// The effects of an action, with its cascade.
    static func specs(of act: Act) -> [Spec] {
        ops(of: act).compactMap { if case .start(let spec) = $0 { spec } else { nil } }
    }

    /// The operations of an action and of its cascade, without those of rejected actions.
    private static func ops(of act: Act) -> [Op] {
        if act.ops.contains(.reject) { return [] }
        return act.ops.flatMap { op in if case .next(let child) = op { ops(of: child) } else { [op] } }
    }
}
