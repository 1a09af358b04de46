// Compares the records of a step with its replay.

extension EffectNote {
    /// Compares the effects that a step's record lists with those that the step returns now.
    static func difference(_ text: String?, _ notes: [EffectNote]) -> [ValueDiff.Change] {
        unlessEarlier(notes) { differenceByName(text, $0) }
    }

    /// Compares the records of a step's runs with the effects that the step returns now.
    static func difference(_ runs: [EffectRun], _ notes: [EffectNote]) -> [ValueDiff.Change] {
        unlessEarlier(notes) { differenceByName(runs, $0) }
    }

    /// Nothing differs if version 0.1.0, which named some effects otherwise, has written the same.
    private static func unlessEarlier(
        _ notes: [EffectNote], _ difference: ([EffectNote]) -> [ValueDiff.Change]
    ) -> [ValueDiff.Change] {
        let found = difference(notes)
        guard !found.isEmpty, notes.contains(where: { !$0.earlier.isEmpty }) else { return found }
        return difference(notes.map { $0.earlier.first ?? $0 }).isEmpty ? [] : found
    }

    private static func differenceByName(_ text: String?, _ notes: [EffectNote]) -> [ValueDiff.Change] {
        let derived = notes.map(\.json)
        guard text ?? "[]" != "[" + derived.joined(separator: ",") + "]" else { return [] }
        let codec = JSONCodec()
        guard let stored = try? codec.decode([JSONTree].self, from: text ?? "[]") else {
            return [ValueDiff.Change(path: "effects", old: text, new: "[" + derived.joined(separator: ",") + "]")]
        }
        let texts = stored.map { (try? codec.encode($0)) ?? "" }
        return (0..<max(texts.count, derived.count)).compactMap { index in
            let old = index < texts.count ? texts[index] : nil
            let new = index < derived.count ? derived[index] : nil
            // The order of the keys does not matter: both texts get the same one.
            let tree = new.flatMap { try? codec.decode(JSONTree.self, from: $0) }
            if index < stored.count, tree == stored[index] { return nil }
            let sorted = tree.flatMap { try? codec.encode($0) }
            return ValueDiff.Change(path: "effects[\(index)]", old: old, new: sorted ?? new)
        }
    }

    private static func differenceByName(_ runs: [EffectRun], _ notes: [EffectNote]) -> [ValueDiff.Change] {
        // A damaged file can hold any ordinal, and the same one twice.
        let expected = Dictionary(runs.map { ($0.ordinal, $0) }) { $1 }
        let derived = notes.filter(\.isRun)
        func text(_ recorded: Recorded?) -> String? {
            recorded.map { $0.name + ($0.id.map { " \($0)" } ?? "") }
        }
        return Set(expected.keys).union(derived.indices).sorted().compactMap { ordinal in
            let old = expected[ordinal].map { Recorded(name: $0.name, id: $0.effectIDText) }
            let new = derived.indices.contains(ordinal) ? derived[ordinal].recorded : nil
            return old == new ? nil : ValueDiff.Change(path: "run \(ordinal)", old: text(old), new: text(new))
        }
    }
}

extension Reduction.Outcome {
    /// Compares the recorded outcome with this one.
    func difference(from record: StepRecord?) -> [ValueDiff.Change] {
        let old = (outcome: record?.outcome ?? .reduced, reason: record?.rejection ?? "")
        let new: (outcome: StepRecord.Outcome, reason: String) =
            switch self {
            case .reduced: (.reduced, "")
            case .rejected(let reason): (.rejected, reason)
            case .skipped: (old.outcome == .cancelled ? .cancelled : .skipped, "")
            }
        if old.outcome == new.outcome, Self.isSame(old.reason, as: new.reason) { return [] }
        func text(_ step: (outcome: StepRecord.Outcome, reason: String)) -> String {
            step.outcome.rawValue + (step.reason.isEmpty ? "" : ": \(step.reason)")
        }
        return [ValueDiff.Change(path: "outcome", old: text(old), new: text(new))]
    }
}
