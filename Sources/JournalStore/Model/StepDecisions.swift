/// Which actions of effects count, as far as an open store has found out: an earlier step of the same transaction may have cancelled the
/// effect. On the disk the outcomes of the steps say it, a little later.
struct StepDecisions: Sendable {
    /// The newest step that is decided.
    var step = 0
    /// The steps whose actions do not count, and whose outcomes may not be on the disk.
    var cancelled: Set<Int> = []
}
