/// What a restart does with a run.
enum RestartDecision<Action: Sendable>: Sendable {
    /// It runs again or continues to wait.
    case resume
    case cancel
    case ask
    /// An action is sent instead.
    case send(Action)
    /// It stays set aside.
    case stay

    var kind: RecoveryReport.Decision {
        switch self {
        case .resume: .resumed
        case .cancel, .send: .cancelled
        case .ask, .stay: .asked
        }
    }
}

extension RecoveredRun {
    /// What this restart does with it.
    func decision(_ override: OpenOptions.RestartOverride) -> RestartDecision<Action> {
        if record.status.waitsForDecision { return .stay }
        if isAmbiguous && !isReleased { return .ask }
        guard wasStarted else { return .resume }
        switch override {
        case .resume: return .resume
        case .cancel: return .cancel
        case .ask: return .ask
        case .asWritten:
            switch run.restart {
            case .resume: return .resume
            case .cancel: return .cancel
            case .ask: return .ask
            case .dispatch(let action): return .send(action)
            }
        }
    }
}
