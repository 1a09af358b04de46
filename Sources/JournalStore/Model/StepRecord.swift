/// The recorded outcome of a step. Its entry belongs to an earlier batch or to this one.
package struct StepRecord: Hashable, Sendable {
    package enum Outcome: String, Hashable, Sendable {
        case reduced, rejected
        /// An operator skipped it.
        case skipped
        /// Its action came from an effect that an earlier step of the same transaction had cancelled.
        case cancelled

        /// The outcomes of steps that a fold does not reduce.
        static let notReduced: [Outcome] = [.skipped, .cancelled]
    }

    package var stream: StreamID
    package var step: Int
    package var outcome: Outcome
    /// Why the step was rejected.
    package var reason: String?
    package var cascade: String?
    package var effects: String?

    /// The length of its texts: what a page of records is measured by.
    var textBytes: Int { [reason, cascade, effects].reduce(0) { $0 + ($1?.utf8.count ?? 0) } }

    /// Why the step was rejected, empty if the reducer gave no reason; nil if it was not rejected.
    var rejection: String? { outcome == .rejected ? reason ?? "" : nil }

    /// Why the action of the step does not count, for a caller who dispatches it again; nil if it does.
    var refusal: String? { outcome == .skipped ? "An operator has skipped the step." : rejection }

    package init(
        stream: StreamID, step: Int, outcome: Outcome = .reduced, reason: String? = nil, cascade: String? = nil,
        effects: String? = nil
    ) {
        (self.stream, self.step, self.outcome) = (stream, step, outcome)
        (self.reason, self.cascade, self.effects) = (reason, cascade, effects)
    }
}
