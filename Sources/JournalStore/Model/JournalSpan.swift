/// Something that took time, for a tracing system; see ``JournalOptions/trace``.
///
/// Spans belong together by stream and step: a dispatch and its reduction have the same step, an effect has the step
/// that returned it, and the actions that it sends are steps whose entries name it as their cause.
public struct JournalSpan: Hashable, Sendable {
    /// What took the time. More can be added: a `switch` needs `@unknown default`.
    #if hasAttribute(nonexhaustive)
        @nonexhaustive
    #endif
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// A call of `dispatch`: from its admission to its answer, with the commit and the reduction. One that waits for a
        /// state ends with the reduction.
        case dispatch
        /// A transaction, with the batches of all streams that share it.
        case commit
        /// The reduction of a step with its cascade.
        case reduce
        /// One attempt of an effect's body.
        case effect
        /// Opening a stream and reading its state: the newest snapshot and the steps after it.
        case replay
    }

    /// What took the time.
    public var kind: Kind
    /// When it began.
    public var start: Timestamp
    /// How long it took.
    public var duration: Duration
    /// The stream; nil for a commit.
    public var stream: String?
    /// The step: the first one of a dispatch, the newest one of a replay; nil for a commit, and if there is none.
    public var step: Int?
    /// The ordinal of the effect among those of its step.
    public var ordinal: Int?
    /// The attempt of the effect, from 1 on.
    public var attempt: Int?
    /// The name of the action or of the effect.
    public var name: String?
    /// The entries of a dispatch or of a commit, the steps of a replay.
    public var count: Int?
    /// Why it failed. A reduction of a step that the reducer rejected has the reason.
    public var error: String?

    fileprivate init(_ kind: Kind, start: Timestamp, duration: Duration) {
        (self.kind, self.start, self.duration) = (kind, start, duration)
    }
}

/// A span that has begun.
final class OpenSpan: Sendable {
    private let trace: JournalOptions.Trace
    private let start: Timestamp
    private let tick = Platform.uptime()
    private let stream: String?

    fileprivate init(_ trace: @escaping JournalOptions.Trace, at start: Timestamp, stream: String?) {
        (self.trace, self.start, self.stream) = (trace, start, stream)
    }

    /// Ends the span and passes it on.
    func end(_ kind: JournalSpan.Kind, _ describe: (inout JournalSpan) -> Void) {
        var span = JournalSpan(kind, start: start, duration: .microseconds(Platform.uptime() - tick))
        span.stream = stream
        describe(&span)
        trace(span)
    }
}

extension JournalOptions {
    /// Receives spans.
    public typealias Trace = @Sendable (JournalSpan) -> Void

    /// Begins a span, if spans are wanted.
    func beginSpan(of stream: String? = nil) -> OpenSpan? {
        trace.map { OpenSpan($0, at: wallClock(), stream: stream) }
    }
}
