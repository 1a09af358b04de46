/// The closure effects that a step returns, by name and ID.
struct ReturnedEffects<Action: Sendable>: Sendable {
    private var returned: [MatchKey: LookAlikes<Action>] = [:]
    /// How many are recorded.
    private let recorded: [MatchKey: Int]
    private let entry: Appended.Stamp

    init(
        _ reduction: Reduction<Action>, among all: [EffectRun], _ entry: Appended.Stamp,
        _ encode: (AnyEffectID) -> String?
    ) {
        self.entry = entry
        recorded = Dictionary(grouping: all.lazy.filter { $0.described == nil }) { MatchKey($0) }.mapValues(\.count)
        var equal = EqualIDs()
        for (ordinal, run, id) in reduction.closures(encode) {
            returned[key(of: run, id, &equal), default: LookAlikes()].add(run, ordinal)
        }
    }

    /// Under which name and ID an effect is recorded.
    private func key(of run: Effect<Action>.Run, _ id: String?, _ equal: inout EqualIDs) -> MatchKey {
        let names = run.earlierName.map { [run.name, $0] } ?? [run.name]
        let keys = names.map { MatchKey(name: $0, id: id) }
        if let key = keys.first(where: { recorded[$0] != nil }) { return key }
        return run.id.flatMap { equal.key(of: $0, names, recorded.keys) } ?? keys[0]
    }

    /// The effect of a single record; nil if the step does not return it.
    func find(_ record: EffectRun) -> RecoveredRun<Action>? {
        guard let found = returned[MatchKey(record)]?.find(record.ordinal) else { return nil }
        return recovered(record, found.run, isKnown: false)
    }

    /// The effect of a record, which is not taken for another one; nil if none is left.
    mutating func take(_ record: EffectRun, trustsOrdinals: Bool) -> RecoveredRun<Action>? {
        guard let found = returned[MatchKey(record)]?.take(record.ordinal) else { return nil }
        return recovered(record, found.run, isKnown: trustsOrdinals && found.ordinal == record.ordinal)
    }

    func hasOrdinal(of record: EffectRun) -> Bool {
        returned[MatchKey(record)]?.contains(record.ordinal) ?? false
    }

    private func recovered(_ record: EffectRun, _ run: Effect<Action>.Run, isKnown: Bool) -> RecoveredRun<Action> {
        let key = MatchKey(record)
        let (now, before) = (returned[key]?.count ?? 0, recorded[key, default: 0])
        return RecoveredRun(
            record, run, entry, isAmbiguous: !isKnown && max(now, before) > 1,
            isMiscounted: !isKnown && now != before)
    }
}

/// Finds recorded IDs by their values: a type can encode equal values to several texts, as one does that encodes a set
/// without sorting it.
private struct EqualIDs {
    /// By the types of an ID: all recorded ones that are of these types, with their names and their values.
    private var decoded: [[ObjectIdentifier]: [Named: MatchKey]] = [:]

    private struct Named: Hashable {
        var name: String?
        var id: ExactID
    }

    mutating func key(of id: AnyEffectID, _ names: [String?], _ recorded: some Sequence<MatchKey>) -> MatchKey? {
        let keys = decoded[id.types] ?? read(like: id, recorded)
        decoded[id.types] = keys
        return names.lazy.compactMap { keys[Named(name: $0, id: ExactID(id))] }.first
    }

    private func read(like id: AnyEffectID, _ recorded: some Sequence<MatchKey>) -> [Named: MatchKey] {
        var keys: [Named: MatchKey] = [:]
        for key in recorded {
            guard let value = key.id.flatMap({ id.sibling(in: $0) }) else { continue }
            keys[Named(name: key.name, id: ExactID(value))] = key
        }
        return keys
    }
}

/// The effects of one step with the same name and ID, in their order. Each is taken once.
private struct LookAlikes<Action: Sendable> {
    private var runs: [Int: Effect<Action>.Run] = [:]
    private var ordinals: [Int] = []
    /// All ordinals before this index were taken.
    private var next = 0

    /// How many there were.
    var count: Int { ordinals.count }

    mutating func add(_ run: Effect<Action>.Run, _ ordinal: Int) {
        runs[ordinal] = run
        ordinals.append(ordinal)
    }

    func contains(_ ordinal: Int) -> Bool { runs[ordinal] != nil }

    /// The effect with an ordinal, or else the first that is left.
    func find(_ ordinal: Int) -> (ordinal: Int, run: Effect<Action>.Run)? {
        if let run = runs[ordinal] { return (ordinal, run) }
        for other in ordinals[next...] {
            if let run = runs[other] { return (other, run) }
        }
        return nil
    }

    /// Takes the effect that ``find(_:)`` returns.
    mutating func take(_ ordinal: Int) -> (ordinal: Int, run: Effect<Action>.Run)? {
        guard let found = find(ordinal) else { return nil }
        runs[found.ordinal] = nil
        while next < ordinals.count, runs[ordinals[next]] == nil { next += 1 }
        return found
    }
}

/// Distinguishes the closure effects of one step.
private struct MatchKey: Hashable {
    var name: String?
    var id: String?

    init(name: String?, id: String?) {
        (self.name, self.id) = (name, id)
    }

    init(_ record: EffectRun) {
        (name, id) = (record.name, record.effectIDText)
    }
}
