import JournalStore

/// What is shown of a step.
enum ShownPart {
    /// Its state, which can be that of a snapshot.
    case state
    /// Its state, which is computed from an earlier one, unless it is that of a base.
    case computedState
    /// What it changes. A base takes the place of the state only after that.
    case changes
}

extension JournalReader {
    /// What to tell about what is shown of some steps, if one of them was computed for a step that an older version of
    /// the machine had reduced: the app may have had another state.
    ///
    /// - Parameter version: the version that computes them.
    func noteOfOlderCode(
        at steps: [(step: Int, part: ShownPart)], of stream: String, than version: Int
    ) throws(JournalError) -> String? {
        for shown in steps {
            let older = try olderVersion(at: shown.step, of: stream, than: version, shown.part)
            guard let older else { continue }
            let start = shown.part == .computedState ? "step by step" : "from the last stored state before it"
            return "Step \(shown.step) was written by version \(older) of the machine, and this is what version "
                + "\(version) computes, \(start). The app may have had another state: "
                + "`snapshots` lists those that it stored, and the tool of version \(older) computes the others."
        }
        return nil
    }

    /// What to tell about a state that is computed without some steps, if steps of an older version are computed again: no
    /// snapshot nor base after the first of those counts.
    func noteOfOlderCode(
        at step: Int, without steps: [Int], of stream: String, than version: Int
    ) throws(JournalError) -> String? {
        guard let first = steps.min(), first < step, var place = steps.min() else { return nil }
        while place <= step {
            let page = try entries(in: stream, from: place, limit: 64)
            guard let last = page.last else { return nil }
            // Versions grow. A message has the version that its sender knew.
            if let entry = page.first(where: { $0.origin != .machine }) {
                guard entry.step <= step, entry.version < version else { return nil }
                return "Without step \(first), no state that was stored after it counts: version \(version) of the "
                    + "machine computes steps of version \(entry.version) again, which may have computed other states."
            }
            place = last.step + 1
        }
        return nil
    }

    /// The older version that had reduced a step, unless what is shown of it is stored, or a state that this version has
    /// stored comes before it.
    private func olderVersion(
        at step: Int, of stream: String, than version: Int, _ part: ShownPart
    ) throws(JournalError) -> Int? {
        // A message has the version that its sender knew.
        guard let entry = try entries(in: stream, from: step, limit: 1).first, entry.step == step,
            entry.version < version, entry.origin != .machine
        else { return nil }
        let last = part == .changes ? step - 1 : step
        guard let mark = try newestMark(of: self.stream(stream), atOrBefore: last) else { return entry.version }
        let isStored = mark.step == step && (mark.isBase || part == .state)
        return isStored || mark.version >= version ? nil : entry.version
    }
}
