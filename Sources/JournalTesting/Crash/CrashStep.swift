public import JournalStore

/// What is done to the machine of a ``CrashMatrix``, one after the other. Nothing waits for what effects do but ``finish`` and
/// ``advance(_:)``.
public enum CrashStep<Action: Sendable>: Sendable {
    /// Dispatches an action, and returns once it is reduced.
    case dispatch(Action)
    /// Cancels the effects of that ID.
    case cancel(any EffectID)
    /// Turns the clock on by so much, with all that becomes due on the way. By nothing, it waits until nothing happens by itself.
    case advance(Duration)
    /// Turns the clock on until nothing happens by itself any more. Always done at the end.
    case finish
}

extension CrashStep: CustomStringConvertible {
    /// What is done, in a few words; of an action only its name.
    public var description: String {
        switch self {
        case .dispatch(let action): "dispatch \(StoredName.ofCase(action))"
        case .cancel(let id): "cancel \(id)"
        case .advance(let duration): "advance \(duration)"
        case .finish: "finish"
        }
    }
}
