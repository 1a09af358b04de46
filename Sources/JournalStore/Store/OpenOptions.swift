/// How a machine is opened on its stream.
public struct OpenOptions: Sendable {
    /// What this opening does with effects whose bodies had started, instead of what each says for itself. Those that wait in a queue or
    /// for their time, timers, and what waits for the app's word are left alone.
    public enum RestartOverride: Hashable, Sendable {
        /// What each effect's author said.
        case asWritten
        /// Runs all of them again. That gives up what an author has promised who said anything else: a body can run twice.
        case resume
        /// Cancels all of them.
        case cancel
        /// Leaves all of them to the app: see ``Store/effects()``.
        case ask
    }

    /// What becomes of an opening that finds other effects in the code than in the journal.
    public enum Differences: Hashable, Sendable {
        /// They are in the report, and the opening goes on.
        case report
        /// The opening is refused, and nothing has changed.
        case refuse
    }

    /// How far an opening has come.
    public struct Progress: Hashable, Sendable {
        /// The step that was reduced last.
        public var step: Int
        /// The last one that is to be reduced.
        public var last: Int
    }

    /// What a restart means for effects that were running.
    public var restart = RestartOverride.asWritten
    /// What becomes of effects that the code does not return any more, or that cannot be told apart.
    public var differences = Differences.report
    /// Whether a base that cannot be read is passed over for an older snapshot: the present can become another one by that.
    public var crossesBases = false
    /// After how many openings in a row that ended within ten seconds one lets effects that come back start only one after the other,
    /// so that the one that brings the process down is found and parked; nil for never.
    public var carefulAfter: Int? = 3
    /// Told now and then while many steps are reduced. Must not wait.
    public var progress: @Sendable (Progress) -> Void = { _ in }

    /// What each effect says for itself; differences are reported.
    public init() {}
}
