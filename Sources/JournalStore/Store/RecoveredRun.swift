// Runs that come back: how they are had again, and what becomes of them.

extension Program {
    typealias Found = Recovery<Action, State>.Found

    /// The rules of queues, by their stored names.
    func rules(_ queues: [QueueMemory]) -> [String: QueueRule] {
        var rules: [String: QueueRule] = [:]
        for queue in queues { rules[queue.key] = try? records.decode(QueueRule.self, from: queue.policy) }
        return rules
    }

    /// A described effect, of its record; nil where there is no handler for it any more.
    func found(_ record: EffectRun, _ rules: [String: QueueRule], _ place: Place) -> Found? {
        guard let entry = record.entry, let run = try? run(record, queues: rules, place) else { return nil }
        return Found(record.foundAgain, run, entry)
    }

    /// A closure, of what its step returns; nil where it returns no such effect any more.
    ///
    /// They are matched by name and ID. Where several are the same in both, the place is taken, but nobody can know whether it is
    /// that one.
    func found(_ record: EffectRun, in reduction: Reduction<Action>, _ entry: Appended.Stamp) -> Found? {
        let same = reduction.closures { try? records.encode($0) }
            .filter { $0.run.name == record.name && $0.id == record.effectID }
        guard let run = same.first(where: { $0.ordinal == record.ordinal }) ?? same.first else { return nil }
        return Found(record.foundAgain, run.run, entry, isAmbiguous: same.count > 1)
    }
}

extension Recovery.Found {
    /// The same with another record.
    func with(_ record: EffectRun) -> Recovery.Found {
        var changed = self
        changed.record = record
        changed.isNews = true
        return changed
    }

    /// What becomes of it.
    func fate(_ override: OpenOptions.RestartOverride) -> Fate<Action> {
        if record.status == .asked || record.status == .parked { return .stays }
        if isAmbiguous { return .ask }
        guard wasStarted else { return .goesOn }
        switch override {
        case .resume: return .goesOn
        case .cancel: return .cancel
        case .ask: return .ask
        case .asWritten:
            switch run.restart {
            case .resume: return .goesOn
            case .cancel: return .cancel
            case .ask: return .ask
            case .dispatch(let action): return .tell(action)
            }
        }
    }
}

/// What a restart does with a run.
enum Fate<Action: Sendable>: Sendable {
    /// It runs again, or goes on waiting.
    case goesOn
    case cancel
    case ask
    /// The machine is told instead.
    case tell(Action)
    /// It is set aside already.
    case stays

    var word: RecoveryReport.Fate {
        switch self {
        case .goesOn: .resumed
        case .cancel, .tell: .cancelled
        case .ask, .stays: .asked
        }
    }
}

extension Reduction {
    /// The effects that can only be had by reducing, each with its place and its ID as it is stored.
    func closures(
        _ encode: (AnyEffectID) -> String?
    ) -> [(ordinal: Int, run: Effect<Action>.Run, id: String?)] {
        var found: [(ordinal: Int, run: Effect<Action>.Run, id: String?)] = []
        var ordinal = 0
        for case .run(let run) in effects {
            if case .closure = run.work { found.append((ordinal, run, run.id.flatMap(encode))) }
            ordinal += 1
        }
        return found
    }
}

extension EffectRun {
    /// The same, where the code has it: one that was orphaned is so no more. Where it had not started, it still waits.
    fileprivate var foundAgain: EffectRun {
        var found = self
        if found.status == .orphaned { found.status = found.attempts > 0 ? .running : .waiting }
        return found
    }
}
