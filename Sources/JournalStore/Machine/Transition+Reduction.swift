extension Transition {
    init(
        _ action: Action, _ reduction: Reduction<Action>, stream: String, step: Int, time: Timestamp, origin: Origin,
        from before: State, to after: State
    ) {
        self.stream = stream
        self.step = step
        self.time = time
        self.origin = origin
        self.action = action
        cascade = reduction.cascade
        rejection = if case .rejected(let reason) = reduction.outcome { reason } else { nil }
        isSkipped = if case .skipped = reduction.outcome { true } else { false }
        self.before = before
        self.after = after
    }
}
