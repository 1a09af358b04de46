import JournalStore

/// Where the states come from that a walk shows: a machine that was loaded.
///
/// It is asked one question at a time, and never where the keys are read: it may take as long as it needs. What it throws
/// is shown for that step, and the walk goes on.
protocol WalkStates: Sendable {
    /// The state after a step, as the machine's codec writes it.
    func state(at step: Int) throws -> String
    /// What a step changed.
    func changes(at step: Int) throws -> [ValueDiff.Change]
}
