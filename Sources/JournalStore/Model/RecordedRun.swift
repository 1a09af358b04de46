/// An effect as the file has it, and what an act on it depends on.
package struct RecordedRun: Sendable {
    package var run: EffectRun
    /// The step of its last action, if that step is not settled.
    var undecidedStep: Int?
    /// Whether the entry of its step is there.
    var hasEntry: Bool

    /// The record of the effect after an act.
    ///
    /// If a process has the stream open, it alone knows whether the effect's body runs, and refuses to retry it then.
    ///
    /// - Parameter isHeld: whether a process holds the journal. It settles the steps of the streams that it has open;
    ///   which these are, it alone knows. Asked only if that matters.
    /// - Throws: ``JournalError`` if the act is not possible.
    @discardableResult
    package func after(
        _ act: Intervention.Act, at time: Timestamp, file: String?, stream: String,
        isHeld: () throws(JournalError) -> Bool = { () throws(JournalError) in false }
    ) throws(JournalError) -> EffectRun {
        let location = ErrorLocation(file: file, stream: stream, step: run.step)
        // A cancel is possible: the action does not count then. An opening that cannot restore the effect needs it.
        if let undecidedStep, act != .cancel, try !isHeld() {
            throw location.error(
                .notInThatState,
                "The effect '\(run.name)' (\(run.key)) has sent its last action, which is step \(undecidedStep) and is "
                    + "not settled.",
                advice: "Open the stream first: that settles the step and ends the effect.")
        }
        let changed = try run.after(act, at: time, file: file, stream: stream)
        if act == .retry, run.status.isFinal, run.described == nil, run.step > 0, !hasEntry {
            throw location.error(
                .noUsableSnapshot,
                "The effect '\(run.name)' (\(run.key)) is found again by reducing its step, whose entry was pruned.",
                advice: "Dispatch an action that starts another one.")
        }
        return changed
    }
}
