extension Model {
    /// An operator is about to skip a step.
    mutating func mayBeSkipped(_ name: String, _ step: Int) {
        streams[name]?.mayBeSkipped.insert(step)
    }

    /// The steps that were skipped were read.
    ///
    /// - Parameter pruned: the steps up to this one were pruned.
    mutating func read(skipped steps: Set<Int>, of name: String, after pruned: Int) -> String? {
        guard let stream = streams[name] else { return nil }
        for (index, entry) in stream.entries.enumerated().dropFirst(pruned)
        where entry.isSkipped != steps.contains(index + 1) {
            let step = index + 1
            if entry.isSkipped { return "step \(step) of \(name) was skipped, and is not any more" }
            if !stream.mayBeSkipped.contains(step) { return "step \(step) of \(name) was skipped by nobody" }
            skipped(name, step)
        }
        return nil
    }

    /// A step was skipped.
    mutating func skipped(_ name: String, _ step: Int) {
        guard streams[name]?.entries.indices.contains(step - 1) == true else { return }
        streams[name]?.entries[step - 1].isSkipped = true
        streams[name]?.skips += 1
        streams[name]?.fold(from: step - 1)
        // The steps after it are reduced from another state, and others of them may count.
        let pending = streams[name]?.pending ?? [:]
        streams[name]?.pending = pending.filter { $0.key < step }
        for (id, cancelling) in cancelSteps where id.hasPrefix("\(name) ") {
            cancelSteps[id] = cancelling.filter { $0 != step }
        }
    }

    /// How many ticks of a timer were skipped, so that they were not counted.
    func skippedTicks(of run: Run, _ place: String) -> Int {
        streams[run.stream]?.entries.count { $0.isSkipped && $0.act.name == "\(place)/tick" } ?? 0
    }

    /// Whether an operator skipped a step.
    func isSkipped(_ stream: String, _ step: Int) -> Bool {
        guard let entries = streams[stream]?.entries, entries.indices.contains(step - 1) else { return false }
        return entries[step - 1].isSkipped
    }
}
