import JournalStore

extension Model {
    /// A version of the machine opens a stream: it folds from a snapshot, and reduces the steps after it as this
    /// version does.
    mutating func opens(_ name: String, version: Int, rules: Int, from step: Int, settled: Int) {
        var stream = streams[name] ?? Stream()
        stream.version = version
        let wasReduced = stream.mayBeReduced || stream.entries.contains { !$0.act.name.hasSuffix("/told") }
        stream.mayBeReduced = stream.mayBeReduced || !stream.entries.isEmpty
        defer { streams[name] = stream }
        guard stream.rules != rules else { return }
        stream.rules = rules
        // Messages that came before anything opened the stream have no older state.
        stream.base = wasReduced ? settled : 0
        stream.pending = [:]
        stream.fold(from: step)
    }

    /// Whether the reducer of a stream's machine still returns an effect. The body of a described effect, and a timer,
    /// are stored.
    func isReturned(_ spec: Spec, _ stream: String) -> Bool {
        spec.kind == .described || spec.isTimer || spec.isReturned(by: streams[stream]?.version ?? 1)
    }

    /// Whether a run has an effect that the reducer does not return any more.
    func isOrphan(_ place: String) -> Bool { runs[place].map { !isReturned($0.spec, $0.stream) } ?? false }

    /// A stream is open.
    ///
    /// - Parameter base: the step of its newest base, up to which other versions may fold to other states; 0 for none.
    mutating func opened(_ name: String, base: Int) -> String? {
        guard let known = streams[name] else { return nil }
        if base < known.base {
            return "another version has opened \(name) at step \(known.base) and has written no base"
        }
        streams[name]?.base = base
        return nil
    }
}

extension Model.Stream {
    /// Computes the states after a step again.
    mutating func fold(from step: Int) {
        guard step < entries.count else { return }
        for index in step..<entries.count {
            var score = scores[index]
            if !entries[index].isSkipped, !entries[index].isCancelled {
                _ = Model.apply(entries[index].act, &score, rules)
            }
            scores[index + 1] = score
        }
    }
}
