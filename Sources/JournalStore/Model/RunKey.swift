/// Names one run of an effect inside a stream: the step that returned it, and its place among that step's effects.
public struct RunKey: Hashable, Comparable, Sendable {
    /// The step.
    public var step: Int
    /// Its place among the effects of the step, from 0 on.
    public var ordinal: Int

    /// The run of a step with that place.
    public init(step: Int, ordinal: Int = 0) {
        self.step = step
        self.ordinal = ordinal
    }

    /// The earlier step first.
    public static func < (left: RunKey, right: RunKey) -> Bool {
        (left.step, left.ordinal) < (right.step, right.ordinal)
    }
}

extension RunKey: LosslessStringConvertible {
    /// As people write it: `17.1`; for the first effect of a step also `17`.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let step = Int(parts[0]), step >= 0 else { return nil }
        guard let ordinal = parts.count == 2 ? Int(parts[1]) : 0, ordinal >= 0 else { return nil }
        self.init(step: step, ordinal: ordinal)
    }

    /// `17.1`
    public var description: String { "\(step).\(ordinal)" }
}
