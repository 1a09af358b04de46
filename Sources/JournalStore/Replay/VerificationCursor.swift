/// A cursor with the states that ``Replayer/verify(_:)`` computes.
///
/// It begins with the first step, or with the base of a pruned stream, and uses only bases on its way: other snapshots
/// can hold states of older code. So its states can be compared with those that a verification in another process
/// computes.
package struct VerificationCursor<Action: Sendable, State: Sendable>: Sendable {
    private let replayer: Replayer<Action, State>
    private var fold: Fold<Action, State>

    /// The step after which ``state`` is the state.
    package var step: Int { fold.step }
    /// The state there.
    package var state: State { fold.state }

    package init(_ replayer: Replayer<Action, State>) throws(JournalError) {
        self.replayer = replayer
        fold = try replayer.verificationFold(of: replayer.reader.stream(replayer.stream))
    }

    /// Moves to a step; backwards by beginning again.
    ///
    /// - Throws: ``JournalError`` if there is no such step, it was pruned, or an entry cannot be read.
    package mutating func move(to end: Int) throws(JournalError) {
        if end < step { self = try VerificationCursor(replayer) }
        if end < step { try replayer.reader.checkWasNotPruned(end, of: fold.stream, asked: end) }
        try replayer.advance(&fold, to: end)
    }
}

extension Replayer {
    /// The fold of a verification, which takes the history as it happened.
    func verificationFold(of info: StreamInfo) throws(JournalError) -> Fold<Action, State> {
        try Fold(program, reader, info, atOrBefore: info.prunedStep)
    }
}
