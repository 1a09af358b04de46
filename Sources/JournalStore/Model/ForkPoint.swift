/// Where a fork leaves the history it comes from, and what that means for what is recorded: the rules alone.
struct ForkPoint: Hashable {
    /// The last step that both have.
    var step: Int
    /// When its entry was committed.
    var time: Timestamp

    /// What a run had said behind the fork.
    struct Said: Hashable {
        /// The entries that come from it, of whatever origin.
        var entries = 0
        /// Those of them that count as delivered.
        var delivered = 0
    }

    /// A run of a step that the fork has, as it was recorded later, made into what it is at the fork.
    ///
    /// What was live then is asked: it goes on in the journal that the fork comes from, and doing it a second time is for somebody to
    /// decide. What had ended stays as it is. So does one that its queue turned away: that followed from its own step.
    func run(_ run: EffectRun, said: Said = Said()) -> EffectRun {
        let hadEnded = run.status.isFinal && said.entries == 0 && (run.ended.map { $0 <= time } ?? true)
        guard !hadEnded, run.status != .discarded else { return run }
        var forked = run.asked
        forked.delivered = run.isMessage ? 0 : max(0, run.delivered - said.delivered)
        if let started = run.started, started > time {
            (forked.started, forked.attempts, forked.failures) = (nil, 0, 0)
        }
        return forked
    }

    /// The name of a stream that a fork leaves behind, but whose ID is part of the digests of what it had sent. It must not be taken
    /// for a new stream of the old name.
    ///
    /// - Parameter taken: the names there are.
    static func nameOfStub(_ stream: StreamInfo, taken: Set<String>) -> String {
        let mark = " (before the fork"
        // It was left behind by an earlier fork.
        if stream.headStep == 0, stream.name.contains(mark) { return stream.name }
        var candidate = stream.name + mark + ")"
        var number = 2
        while taken.contains(candidate) {
            candidate = stream.name + mark + ", \(number))"
            number += 1
        }
        return candidate
    }
}

extension EffectRun {
    /// The same, to be asked about.
    var asked: EffectRun {
        var run = self
        run.status = .asked
        (run.ended, run.error, run.notBefore) = (nil, nil, nil)
        return run
    }
}

extension StreamInfo {
    /// Whether it can be forked there.
    ///
    /// - Throws: why not.
    func checkFork(at step: Int, file: String?) throws(JournalError) {
        guard step >= 1, step <= headStep else {
            throw JournalError(
                .noSuchStep, headStep == 0 ? "The stream has no step yet." : "The stream ends at step \(headStep).",
                advice: headStep == 0 ? "There is nothing to fork." : "Name a step from 1 to \(headStep).", file: file,
                stream: name, step: step)
        }
        guard step >= prunedStep else {
            throw JournalError(
                .noSuchStep, "The entries up to step \(prunedStep) were pruned: what was before is gone.",
                advice: "Name a step from \(prunedStep) to \(headStep), or fork a backup that still has it.",
                file: file,
                stream: name, step: step)
        }
    }
}
