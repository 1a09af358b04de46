/// The moment at which a fork ends its copy of the history, and the rules for the records it keeps. Does no I/O.
struct ForkPoint: Hashable {
    /// When the first step was committed that the fork does not share with the original; the end of time if there is
    /// none.
    ///
    /// A run that the last shared step cancels ends a moment after that step, so the time of that step does not tell
    /// which runs are left after it.
    var next: Timestamp

    /// The end of time.
    static let never = Timestamp(microseconds: .max)

    /// What a run sent after the fork, and until then.
    struct Said: Hashable {
        /// How many entries it caused after the fork, of any origin.
        var entries = 0
        /// How many of those count as delivered.
        var delivered = 0
        /// When the first of them was committed.
        var since: Timestamp?
        /// When the newest of its entries until the fork was committed, if that was not before ``ForkPoint/next``: a
        /// transaction can have both.
        var shared: Timestamp?
        /// Whether the first of its entries after the fork is the step after it, and can be its cancel action.
        var beginsWithCancel = false
    }

    /// The first retry, after the fork, of a run that had ended.
    struct Retry: Hashable {
        var time: Timestamp
        /// How the run had ended.
        var before: EffectRun.Status
        /// What is recorded of its attempts before the retry, oldest first. Empty if the last one of them is not kept.
        var attempts: [EffectAttempt]

        /// - Parameter attempts: what is recorded of all its attempts, oldest first.
        init(time: Timestamp, before: EffectRun.Status, attempts: [EffectAttempt]) {
            (self.time, self.before) = (time, before)
            let earlier = attempts.filter { ($0.started ?? time) < time }
            let last = earlier.last?.number ?? 0
            let next = attempts.first { $0.number > last }?.number ?? last + 1
            self.attempts = next == last + 1 ? earlier : []
        }
    }

    /// Takes a run from its latest record back to its state at the fork.
    ///
    /// A run that was live at the fork is asked: it goes on in the original journal, and the app must decide whether to
    /// repeat it. One that was cancelled stays so, and sends its cancel action. A run that had ended is unchanged, or
    /// what it was before a later retry; one that its queue discarded is unchanged too, as its own step caused that.
    ///
    /// - Parameters:
    ///   - attempts: what is recorded of its attempts, oldest first; empty if none of them started or ended after the
    ///     fork.
    ///   - isCancelled: whether an operator had cancelled it at the fork.
    func run(
        _ run: EffectRun, said: Said = Said(), retry: Retry? = nil, attempts: [EffectAttempt] = [],
        isCancelled: Bool = false
    ) -> EffectRun {
        if let retry, let ended = self.run(run, before: retry, said) { return ended }
        guard !hadEnded(run, said), run.status != .discarded else { return run }
        let isCancelling = wasCancelling(run, said, isCancelled)
        var forked = isCancelling ? run.cancelling : run.asked
        // A timer sends again what it sent after the fork.
        if said.delivered > 0 { forked.notBefore = nil }
        forked.delivered = run.isMessage ? 0 : max(0, run.delivered - said.delivered)
        if let started = run.started, started >= next {
            (forked.started, forked.attempts, forked.failures, forked.error) = (nil, 0, 0, nil)
        } else {
            takeBack(attempts, of: &forked)
            // The failure that ended the run is in its record only, not among its attempts.
            if run.status == .failed { forked.failures = max(0, forked.failures - 1) }
        }
        return forked
    }

    /// Whether it was cancelled at the fork, and had not sent its cancel action.
    ///
    /// The record does not say when it was cancelled. It is known of an operator; if the action is the step after the
    /// fork; and if nothing comes after the fork.
    private func wasCancelling(_ run: EffectRun, _ said: Said, _ isCancelled: Bool) -> Bool {
        guard run.onCancel != nil else { return false }
        switch run.status {
        case .cancelling: return isCancelled || next == Self.never
        case .cancelled: return isCancelled || said.entries == 1 && said.beginsWithCancel
        default: return false
        }
    }

    private func hadEnded(_ run: EffectRun, _ said: Said) -> Bool {
        guard run.status.isFinal, said.entries == 0 else { return false }
        guard let ended = run.ended else { return true }
        // Or it ended with an action that the fork has.
        return ended < next || ended == said.shared
    }

    /// Takes back the attempts that started after the fork, and the failures of those that ended after it.
    private func takeBack(_ attempts: [EffectAttempt], of run: inout EffectRun) {
        func isLater(_ time: Timestamp?) -> Bool { time.map { $0 >= next } ?? false }
        let kept = attempts.filter { !isLater($0.started) }
        if kept.count < attempts.count { run.attempts = kept.last?.number ?? 1 }
        let failures = attempts.count { $0.error != nil && isLater($0.ended) }
        run.failures = max(0, run.failures - failures)
        if !attempts.isEmpty { run.error = kept.last { $0.error != nil && !isLater($0.ended) }?.error }
    }

    /// The run as it had ended before it was retried; nil if it ended after the fork.
    private func run(_ run: EffectRun, before retry: Retry, _ said: Said) -> EffectRun? {
        guard let last = retry.attempts.last, let ended = last.ended, ended < next else { return nil }
        // What it sent before the retry came after the fork, so its clock was set back.
        if let since = said.since, since < retry.time { return nil }
        return changed(run) {
            ($0.status, $0.ended, $0.notBefore) = (retry.before, ended, nil)
            $0.error = retry.attempts.last { $0.error != nil }?.error
            $0.attempts = last.number
            // Whether those that are not kept had failed is not known: a restart makes an attempt too.
            $0.failures = retry.attempts.count { $0.error != nil }
            $0.delivered = max(0, run.delivered - said.delivered)
        }
    }

    /// The name of the stub that a fork keeps of another stream, whose ID is part of the digests of what it sent. It
    /// differs from the old name, so that a new stream of that name is not taken for the old one.
    ///
    /// - Parameter taken: the names in use.
    static func nameOfStub(_ stream: StreamInfo, taken: Set<String>) -> String {
        let mark = " (before the fork"
        // It is the stub of an earlier fork.
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
    /// A copy for a journal of its own.
    var detached: EffectRun { status == .cancelling ? self : asked }

    /// A copy with the status `cancelling`.
    fileprivate var cancelling: EffectRun {
        changed(self) {
            ($0.status, $0.ended) = (.cancelling, nil)
            if !isTimer { $0.notBefore = nil }
        }
    }

    /// A copy with the status `asked`. A timer is still due when it was.
    var asked: EffectRun {
        changed(self) {
            ($0.status, $0.ended) = (.asked, nil)
            // The error of a run that had ended is what ended it.
            if status.isFinal { $0.error = nil }
            if !isTimer { $0.notBefore = nil }
        }
    }
}

extension StreamInfo {
    /// The error that an effect which was live at the step cannot go on in a fork.
    func cannotContinue(_ run: EffectRun, at step: Int, file: String?) -> JournalError {
        ErrorLocation(file: file, stream: name, step: step).error(
            .noUsableSnapshot,
            "The effect '\(run.name)' (\(run.key)) had not ended at this step, and its entry was pruned.",
            advice: "Name a later step, or fork a backup that still has the entry.")
    }

    /// Checks that the stream can be forked at the step.
    ///
    /// - Parameter decided: the step up to which it is known which actions count.
    /// - Throws: ``JournalError`` if there is no such step or it was pruned.
    func checkFork(at step: Int, decided: Int, file: String?) throws(JournalError) {
        let location = ErrorLocation(file: file, stream: name, step: step)
        guard step >= 1, step <= headStep else {
            throw location.endsBefore(
                headStep, advice: headStep == 0 ? "There is nothing to fork." : "Name a step from 1 to \(headStep).")
        }
        guard step <= decided else { throw undecided(step, location) }
        guard step >= prunedStep else {
            throw location.error(
                .noSuchStep, "The entries up to step \(prunedStep) were pruned.",
                advice: "Name a step from \(prunedStep) to \(headStep), or fork a backup that still has the entries.")
        }
    }
}
