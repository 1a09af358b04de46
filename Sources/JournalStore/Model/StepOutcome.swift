/// What became of a step, as far as it is recorded.
package struct StepOutcome: Hashable, Sendable {
    /// The recorded outcome; nil if it is not recorded yet.
    package var outcome: StepRecord.Outcome?
    /// Why the reducer rejected the step, or why an operator skipped it, if a reason was given.
    package var reason: String?

    package init(_ outcome: StepRecord.Outcome? = nil, reason: String? = nil) {
        (self.outcome, self.reason) = (outcome, reason)
    }
}
