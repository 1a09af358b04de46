import Synchronization

/// The effects of a store that are being retried; and the step that was reduced last to find one of them, with the fold
/// that goes on from there.
///
/// An operator retries many effects one after the other, in the order of their steps: then they need one fold together.
/// Step and fold are dropped when they were not used for a while, because they hold a state.
final class RetriedEffects<Action: Sendable, State: Sendable>: Sendable {
    private struct Kept: Sendable {
        /// After the step. Nil while a retry has taken it.
        var fold: Fold<Action, State>?
        /// What the step returns.
        var effects: ReturnedEffects<Action>?
        var wasUsed = false
        var isWatched = false
    }

    private let kept = Lock(Kept())
    private let runs = Lock<Set<RunKey>>([])

    /// - Returns: false if the effect is being retried already.
    func begin(_ run: RunKey) -> Bool { runs.withLock { $0.insert(run).inserted } }

    func end(_ run: RunKey) { runs.withLock { _ = $0.remove(run) } }

    /// How long it is kept without a use, at least. The tool needs some milliseconds from one effect to the next.
    private static var patience: Duration { .seconds(1) }

    /// Whether it holds nothing.
    var isEmpty: Bool { kept.withLock { $0.fold == nil } }

    /// What a step returns, if it is the last one.
    func effects(of step: Int) -> ReturnedEffects<Action>? {
        kept.withLock { kept in
            guard kept.fold?.step == step else { return nil }
            kept.wasUsed = true
            return kept.effects
        }
    }

    /// Moved out and not copied: the state of a fold with two owners is copied at its next change.
    func takeFold() -> Fold<Action, State>? {
        kept.withLock { kept in
            kept.effects = nil
            return kept.fold.take()
        }
    }

    /// Keeps a step for the next retry.
    ///
    /// - Parameters:
    ///   - fold: the fold after the step.
    ///   - effects: what the step returns.
    func keep(_ fold: Fold<Action, State>, _ effects: ReturnedEffects<Action>, _ options: JournalOptions) {
        let wasWatched = kept.withLock { kept in
            (kept.fold, kept.effects, kept.wasUsed) = (fold, effects, true)
            defer { kept.isWatched = true }
            return kept.isWatched
        }
        if wasWatched { return }
        _ = options.spawn { [weak self, sleep = options.sleep] in
            while self?.staysKept() == true { try? await sleep(Self.patience) }
        }
    }

    /// Drops what was not used since the last call.
    private func staysKept() -> Bool {
        kept.withLock { kept in
            if kept.wasUsed {
                kept.wasUsed = false
            } else {
                kept = Kept()
            }
            return kept.isWatched
        }
    }
}

extension StoreEngine {
    /// Made at its first use: most stores retry no effect.
    var retried: RetriedEffects<Action, State> { retriedOnce.load() ?? retriedOnce.storeIfNil(RetriedEffects()) }

    /// Reduces a step again, to find its effects; nil if it cannot be reached.
    func effectsAgain(of step: Int) throws(JournalError) -> ReturnedEffects<Action>? {
        let (reader, retried) = (stream.journal.reader, retried)
        if let known = retried.effects(of: step) { return known }
        guard step > 0 else {
            let all = try reader.effectRuns(in: info, step: step)
            return program.returned(by: program.initialEffect, among: all, info.birth)
        }
        var fold: Fold<Action, State>
        // It undoes a rejected step from where it began, which can have been pruned meanwhile.
        if let known = retried.takeFold(), try known.origin.step >= reader.stream(info.name).prunedStep {
            fold = known
            try fold.learn(broadcast.decisions)
            try fold.approach(step)
        } else {
            fold = try self.fold(atOrBefore: step - 1)
        }
        try fold.advance(to: step - 1)
        guard let folded = try fold.next() else { return nil }
        let all = try reader.effectRuns(in: info, step: step)
        let effects = program.returned(by: folded.reduction, among: all, folded.entry.stamp)
        retried.keep(fold, effects, options)
        return effects
    }
}
