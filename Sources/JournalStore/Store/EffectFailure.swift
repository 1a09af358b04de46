/// What an effect came to that could not be run, or whose end could not be recorded.
public struct EffectFailure: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    public let description: String
}
