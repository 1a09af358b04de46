import JournalStore

extension JournalReader {
    /// What to tell about states that are shown, if one of them was computed for steps that an older version of the
    /// machine had reduced: the app may have had another one.
    ///
    /// - Parameters:
    ///   - states: their steps, and whether each may be that of a snapshot which is no base.
    ///   - version: the version that computes them.
    func noteOfOlderCode(
        at states: [(step: Int, usesSnapshots: Bool)], of stream: String, than version: Int
    ) throws(JournalError) -> String? {
        for state in states {
            let older = try olderVersion(
                at: state.step, of: stream, than: version, usesSnapshots: state.usesSnapshots)
            guard let older else { continue }
            return "Step \(state.step) was written by version \(older) of the machine, and this is what version "
                + "\(version) computes, from the last stored state before it. The app may have had another state: "
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

    /// The older version that had reduced a step, unless the state after it is stored, or a state that this version has
    /// stored comes before it.
    private func olderVersion(
        at step: Int, of stream: String, than version: Int, usesSnapshots: Bool
    ) throws(JournalError) -> Int? {
        // A message has the version that its sender knew.
        guard let entry = try entries(in: stream, from: step, limit: 1).first, entry.step == step,
            entry.version < version, entry.origin != .machine
        else { return nil }
        guard let mark = try newestMark(of: self.stream(stream), atOrBefore: step) else { return entry.version }
        let isStored = mark.step == step && (mark.isBase || usesSnapshots)
        return isStored || mark.version >= version ? nil : entry.version
    }
}
