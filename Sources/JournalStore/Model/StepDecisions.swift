/// Up to which step an open store knows which actions count. An action that an effect sends does not count if an
/// earlier step of the same transaction has cancelled that effect. The outcomes of the steps, which are written a
/// little later, record the same.
struct StepDecisions: Sendable {
    /// The newest step that is decided.
    var step = 0
    /// The steps whose actions do not count, and whose outcomes may not be on the disk.
    var cancelled: Set<Int> = []
}
