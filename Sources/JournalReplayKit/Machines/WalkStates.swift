import JournalStore

/// The source of the states that a walk shows: a loaded machine.
///
/// It gets one request at a time, and never on the thread that reads the keys, so it may take long. An error that it
/// throws is shown for that step, and the walk continues.
protocol WalkStates: Sendable {
    /// The state after a step, as the machine's codec writes it.
    func state(at step: Int) throws -> String
    /// The changes by a step.
    func changes(at step: Int) throws -> [ValueDiff.Change]
}
