import JournalStore

/// What a recorded effect does, in the words of the view `effects`.
enum EffectKind: String, CaseIterable, Sendable {
    /// It runs code.
    case effect
    /// It sends an action to its own machine, at a time.
    case timer
    /// It sends an action to another machine.
    case message
}

extension EffectRun {
    var kind: EffectKind { isTimer ? .timer : isMessage ? .message : .effect }
}
