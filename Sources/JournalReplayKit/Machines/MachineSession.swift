import JournalStore

/// A replay session with a machine of this image.
final class MachineSession<Action: Sendable, State: Sendable>: ReplaySession {
    private let replayer: Replayer<Action, State>
    /// The cursor at the last requested step: the next request is often for a step nearby.
    private let place: Lock<ReplayCursor<Action, State>?>
    /// The same for the states of a verification.
    private let verified: Lock<VerificationCursor<Action, State>?>

    init(_ replayer: Replayer<Action, State>) {
        self.replayer = replayer
        place = Lock(nil)
        verified = Lock(nil)
    }

    private func at<Value: Sendable>(
        _ step: Int, _ body: (inout ReplayCursor<Action, State>) throws -> Value
    ) throws -> Value {
        // Take the cursor out: no reducer may run while the lock is held.
        let known = place.withLock { place in
            defer { place = nil }
            return place
        }
        var cursor = if let known { known } else { try replayer.cursor(at: step) }
        defer { place.withLock { [cursor] in $0 = cursor } }
        try cursor.move(to: step)
        return try body(&cursor)
    }

    private func verifiedState(at step: Int) throws -> State {
        let known = verified.withLock { place in
            defer { place = nil }
            return place
        }
        var cursor = if let known { known } else { try VerificationCursor(replayer) }
        try cursor.move(to: step)
        verified.withLock { [cursor] in $0 = cursor }
        return cursor.state
    }

    var version: Int { replayer.version }

    func state(at step: Int) throws -> String {
        try replayer.text(of: at(step) { $0.state }, at: step)
    }

    func step(_ step: Int) throws -> StepView {
        guard step > 0 else { throw replayer.noStep(step) }
        return try at(step - 1) { cursor in
            // The cursor itself stays: its next request is for a state, and that of this step may be stored.
            var ahead = cursor
            guard let moved = try ahead.moveForward() else { throw ahead.noStep(step) }
            // A skipped step whose action cannot be decoded. It did nothing.
            guard let replayed = moved.replayed else {
                return StepView(isSkipped: true, cascade: [], effects: [], changes: [])
            }
            return StepView(
                rejection: replayed.rejection, isSkipped: replayed.isSkipped,
                cascade: try replayed.cascade.map { try replayer.text(of: $0, at: step) },
                effects: replayed.effects.map(\.description), changes: replayed.changes.changes)
        }
    }

    func changes(from: Int, to: Int) throws -> [ValueDiff.Change] {
        let states = try replayer.states(at: min(from, to), thenAt: max(from, to))
        let (old, new) = from <= to ? (states.first, states.last) : (states.last, states.first)
        return ValueDiff(from: old, to: new).changes
    }

    func changes(fromState text: String, to step: Int) throws -> [ValueDiff.Change] {
        try replayer.difference(from: text, to: at(step) { $0.state }, at: step)
    }

    func changes(fromState text: String, toVerified step: Int) throws -> [ValueDiff.Change] {
        try replayer.difference(from: text, to: verifiedState(at: step), at: step)
    }

    func states(_ steps: ClosedRange<Int>, _ visit: (Int, String) throws -> Bool) throws {
        _ = try replayer.scan(steps) { step, state in try !visit(step, replayer.text(of: state, at: step)) }
    }

    func verify(every stride: Int?, _ visit: (Int, String) throws -> Void) throws -> ReplayReport {
        // It comes from another process.
        let stride = stride.flatMap { $0 > 0 ? $0 : nil }
        return try replayer.verify { step, state in
            guard let stride, step % stride == 0 || step == replayer.info.headStep else { return }
            try visit(step, replayer.text(of: state, at: step))
        }
    }
}
