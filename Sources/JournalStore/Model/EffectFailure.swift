/// What an effect came to that could not be run, or whose end could not be recorded.
public struct EffectFailure: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    public let description: String
    /// Whether another try would come to the same.
    let isFinal: Bool

    init(description: String, isFinal: Bool = false) {
        self.description = description
        self.isFinal = isFinal
    }
}
