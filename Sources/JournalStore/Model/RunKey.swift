/// Identifies one run in its stream: the step that returned the effect, and the ordinal among that step's effects.
public struct RunKey: Hashable, Comparable, Sendable {
    /// The step.
    public var step: Int
    /// The ordinal among the effects of the step, from 0 on.
    public var ordinal: Int

    /// The key of a step's run with that ordinal.
    public init(step: Int, ordinal: Int = 0) {
        self.step = step
        self.ordinal = ordinal
    }

    /// Orders by step, then by ordinal.
    public static func < (left: RunKey, right: RunKey) -> Bool {
        (left.step, left.ordinal) < (right.step, right.ordinal)
    }
}

extension RunKey: LosslessStringConvertible {
    /// Parses `17.1`, or `17` for the first effect of a step.
    public init?(_ description: String) {
        let parts = description.split(separator: ".", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let step = Int(digits: parts[0]) else { return nil }
        guard let ordinal = parts.count == 2 ? Int(digits: parts[1]) : 0 else { return nil }
        self.init(step: step, ordinal: ordinal)
    }

    /// `17.1`
    public var description: String { "\(step).\(ordinal)" }
}

extension RunKey: Codable {
    /// Decodes `17.1`.
    ///
    /// - Throws: `DecodingError` if the text is not exactly the description of a key.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let key = RunKey(text), key.description == text else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "The key of a run is a step and an ordinal, such as 17.1.")
        }
        self = key
    }

    /// Encodes `17.1`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }
}
