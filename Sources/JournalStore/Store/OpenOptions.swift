/// Options for opening a machine on a stream.
public struct OpenOptions: Sendable {
    /// What an opening does with runs whose bodies had started, in place of their restart policies. It does not apply
    /// to runs that wait for their first start, to timers, or to runs that are asked or parked; nor to a run that started
    /// so shortly before the process ended that this is not recorded.
    public enum RestartOverride: Hashable, Sendable {
        /// Applies each effect's restart policy.
        case asWritten
        /// Runs all of them again. A body can then run twice, even if its restart policy promises at most once.
        case resume
        /// Cancels all of them.
        case cancel
        /// Leaves all of them to the app, as asked: see ``Store/liveRuns()``.
        case ask
    }

    /// What an opening does if the code returns other effects than the journal has recorded.
    public enum Differences: Hashable, Sendable {
        /// Lists them in the ``RecoveryReport`` and continues.
        case report
        /// Throws ``JournalError/Code/otherEffects``. No run is changed.
        case refuse
    }

    /// What to do with runs whose bodies had started.
    public var restart = RestartOverride.asWritten
    /// What to do if the code does not return an effect any more, or returns several that cannot be told apart.
    public var differences = Differences.report
    /// Whether to use an older snapshot if a base cannot be read. The result can differ from the state in the base.
    public var crossesBases = false
    /// How many openings in a row may end before they are stable: an opening is stable when it has lasted ten seconds
    /// and holds back no effect, or when it is closed. After that many, the next openings start restored effects in
    /// groups, to find the one that crashes the process and park it. Nil for any number.
    public var crashLoopLimit: Int? = CrashLoop.usualLimit
    /// Whether its effects were alive in this process before: then they have not crashed it.
    var continuesEffects = false
    /// When the stream's host began, by the clock as it is set now; nil without one. A host reports once what concerns
    /// all its streams.
    var hostedSince: Timestamp?
    /// Called at each 1,024th step while the opening reduces. Must not block.
    public var progress: @Sendable (ReplayProgress) -> Void = { _ in }

    /// Applies each effect's restart policy and reports differences.
    public init() {}
}
