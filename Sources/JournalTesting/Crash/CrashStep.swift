public import JournalStore

/// A step of the script of a ``CrashMatrix``. Only ``finish`` and ``advance(_:)`` wait for effects.
public enum CrashStep<Action: Sendable>: Sendable {
    /// Dispatches an action, and returns once it is reduced.
    case dispatch(Action)
    /// Cancels the effects with that ID.
    case cancel(any EffectID)
    /// Advances the clock by this much, and runs what becomes due on the way. Zero waits until no task can continue.
    case advance(Duration)
    /// Advances the clock until no task sleeps any more. Always done at the end.
    case finish
}

extension CrashStep: CustomStringConvertible {
    /// The step in a few words; of an action only its name.
    public var description: String {
        switch self {
        case .dispatch(let action): "dispatch \(StoredName.ofCase(action))"
        case .cancel(let id): "cancel \(id)"
        case .advance(let duration): "advance \(duration)"
        case .finish: "finish"
        }
    }
}
