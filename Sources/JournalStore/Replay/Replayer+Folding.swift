// Folding with progress reports and cancellation.

extension Replayer {
    func fold(atOrBefore step: Int) throws(JournalError) -> Fold<Action, State> {
        try Fold(
            program, reader, info, atOrBefore: step, crossingBases: crossingBases, hypothesis: hypothesis)
    }

    /// The next step of a fold.
    func next(_ fold: inout Fold<Action, State>, to end: Int) throws(JournalError) -> FoldedStep<Action, State>? {
        try tellNowAndThen(fold.step, of: end)
        return try fold.next()
    }

    /// Reduces all steps up to `end`.
    ///
    /// - Parameter visit: called after each step.
    func advance(
        _ fold: inout Fold<Action, State>, to end: Int, _ visit: (Fold<Action, State>) -> Void = { _ in }
    ) throws(JournalError) {
        do throws(JournalError) {
            while fold.step < end {
                try tellNowAndThen(fold.step, of: end)
                guard try fold.pass(towards: end) else { throw fold.noStep(end) }
                visit(fold)
            }
        } catch {
            throw error.asked(for: end)
        }
    }

    /// Reports progress and checks for cancellation every 1024 steps.
    func tellNowAndThen(_ step: Int, of end: Int) throws(JournalError) {
        guard step % 1024 == 1023 else { return }
        report(ReplayProgress(step: step, last: end))
        guard Task.isCancelled else { return }
        throw reader.location(stream, step).error(.cancelled, "The replay was cancelled.")
    }

    /// - Parameter hasState: whether the number before the first step would do, which stands for a state.
    package func noStep(_ step: Int, hasState: Bool = true) -> JournalError {
        let first = info.prunedStep + (hasState ? 0 : 1)
        return reader.location(stream, step).error(
            .noSuchStep, "There is no such step.", advice: "Choose a step from \(first) to \(info.headStep).")
    }
}

// MARK: - Texts

extension Replayer {
    /// A state as the machine's codec writes it.
    package func text(of state: State, at step: Int) throws(JournalError) -> String {
        try program.encode(state, reader.location(stream, step))
    }

    /// An action as the machine's codec writes it.
    package func text(of action: Action, at step: Int) throws(JournalError) -> String {
        try program.encode(action, reader.location(stream, step))
    }

    /// Compares a state that another process wrote with one computed here, by value.
    package func difference(
        from text: String, to state: State, at step: Int
    ) throws(JournalError) -> [ValueDiff.Change] {
        return ReplayComparison<Action, State>.difference(
            try program.state(text, version: program.version, reader.location(stream, step)), state)
    }
}
