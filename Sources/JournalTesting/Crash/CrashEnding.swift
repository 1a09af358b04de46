import JournalStore

/// The end of one run of the machine.
struct CrashEnding<State: Sendable>: Sendable {
    var state: State
    /// Each entry in the form that is compared, in order.
    var entries: [String]
    /// Those of them that the script dispatched.
    var dispatched: [String]
    /// The status of each effect.
    var effects: [String]
    /// How many effects were running, those without a record included.
    var unfinished: Int
    /// How many entries were rejected.
    var rejected: Int
    var chronicle: Chronicle
    var problems: [String]
}

extension CrashEnding {
    /// Violations of the rules for every machine.
    func faults(comparedWith uncut: CrashEnding) -> [String] {
        chronicle.faults + problems.map { "The journal is inconsistent: \($0)." }
            + CrashEnding.difference("the script's entries", uncut.dispatched, dispatched, inOrder: true)
    }

    /// The differences from the run without a kill.
    ///
    /// - Parameter compare: the difference between two states; nil if they are the same.
    func differences(
        from uncut: CrashEnding, inOrder: Bool, compare: (State, State) -> ValueDiff?
    ) -> [String] {
        var lines: [String] = []
        if let diff = compare(uncut.state, state) {
            lines.append("state (without a kill → with it):")
            lines += diff.description.split(separator: "\n").map { "  \($0)" }
        }
        lines += CrashEnding.difference("journal", uncut.entries, entries, inOrder: inOrder)
        lines += CrashEnding.difference("effects", uncut.effects, effects, inOrder: false)
        let (before, after) = (uncut.chronicle.answered, chronicle.answered)
        for name in Set(before.keys).union(after.keys).sorted() where before[name] != after[name] {
            lines.append(
                "outside: '\(name)' was done under \(after[name] ?? 0) keys, and under \(before[name] ?? 0) in "
                    + "the run without a kill"
            )
        }
        return lines
    }

    private static func difference(
        _ what: String, _ expected: [String], _ found: [String], inOrder: Bool
    ) -> [String] {
        let missing = subtract(found, from: expected).map { "\(what): missing: \($0)" }
        let added = subtract(expected, from: found).map { "\(what): unexpected: \($0)" }
        if missing.isEmpty, added.isEmpty, inOrder, expected != found {
            return ["\(what): in a different order: \(found.joined(separator: ", "))"]
        }
        return missing + added
    }

    private static func subtract(_ part: [String], from whole: [String]) -> [String] {
        var counts = part.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        return whole.filter { line in
            guard let count = counts[line], count > 0 else { return true }
            counts[line] = count - 1
            return false
        }
    }
}
