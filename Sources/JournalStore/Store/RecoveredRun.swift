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
    ///
    /// - Throws: it cannot be read, or one of its actions cannot.
    func found(_ record: EffectRun, _ rules: [String: QueueRule], _ place: Place) throws(JournalError) -> Found? {
        do {
            guard let entry = record.entry, let run = try run(record, queues: rules, place) else { return nil }
            return Found(record.foundAgain, run, entry)
        } catch {
            var told = place.notDecodable("described effect", record.version, version, error)
            told.advice = "Let its type read what was stored."
            if let error = error as? JournalError { told = error }
            told.message = "The effect '\(record.name)' (\(record.key)) cannot be read. " + told.message
            told.advice += " Or cancel it: `journal-replay cancel FILE \(record.key) --stream \(place.stream)`."
            throw told
        }
    }

    /// The closures of a step that are in the journal, of what it returns.
    ///
    /// They are matched by name and ID. Where several are the same the places are taken, but nobody can know whether it is those. None is
    /// taken twice.
    ///
    /// - Returns: those that the step returns, and those that it does not return any more.
    func found(
        _ records: [EffectRun], in reduction: Reduction<Action>, _ entry: Appended.Stamp
    ) -> (found: [Found], orphaned: [EffectRun]) {
        var runs = Dictionary(grouping: reduction.closures { try? self.records.encode($0) }) {
            Look(name: $0.run.name, id: $0.id)
        }
        let counts = Dictionary(grouping: records) { Look(name: $0.name, id: $0.effectID) }.mapValues(\.count)
        var (found, orphaned): ([Found], [EffectRun]) = ([], [])
        let several = runs.filter { $0.value.count > 1 || counts[$0.key, default: 0] > 1 }.keys
        // Who has its own place first.
        func hasItsPlace(_ record: EffectRun) -> Bool {
            runs[Look(name: record.name, id: record.effectID)]?.contains { $0.ordinal == record.ordinal } ?? false
        }
        for record in records.filter(hasItsPlace) + records.filter({ !hasItsPlace($0) }) {
            let look = Look(name: record.name, id: record.effectID)
            guard let same = runs[look], !same.isEmpty else {
                orphaned.append(record)
                continue
            }
            let index = same.firstIndex { $0.ordinal == record.ordinal } ?? 0
            runs[look]?.remove(at: index)
            found.append(Found(record.foundAgain, same[index].run, entry, isAmbiguous: several.contains(look)))
        }
        return (found, orphaned)
    }
}

/// What closures of one step are told apart by.
private struct Look: Hashable {
    var name: String?
    var id: String?
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
