/// The error of an effect that could not be run, or whose end could not be recorded; also of a remembered step whose
/// stored result has another type, or whose name is that of a step which runs.
public struct EffectFailure: Error, Hashable, CustomStringConvertible {
    /// What went wrong.
    public let description: String
    /// Whether a retry would fail in the same way.
    let isFinal: Bool

    init(description: String, isFinal: Bool = false) {
        self.description = description
        self.isFinal = isFinal
    }
}
