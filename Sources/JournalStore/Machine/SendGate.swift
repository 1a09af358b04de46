/// Holds an effect open after its closure has returned, until nothing more is sent.
final class SendGate: Sendable {
    private struct State {
        var isFinished = false
        /// The actions that are being committed.
        var underWay = 0
    }

    private let state = Watched(State())

    /// The same `send`, which counts what it sends and can be finished.
    func guarding<Action>(_ send: Effect<Action>.Send) -> Effect<Action>.Send {
        let end = SendEnd(self)
        return Effect.Send(end: end) { action in
            guard end.gate.enter() else { throw CancellationError() }
            // Also keeps the gate open while it sends, should this be the last copy.
            defer { end.gate.leave() }
            try await send(action)
        }
    }

    private func enter() -> Bool {
        state.change { state in
            if !state.isFinished { state.underWay += 1 }
            return !state.isFinished
        }
    }

    private func leave() {
        state.change { $0.underWay -= 1 }
    }

    func finish() {
        state.change { $0.isFinished = true }
    }

    /// Waits until it is finished, and what was sent before is committed; or until the task is cancelled.
    func finished() async {
        _ = await state.wait { $0.isFinished && $0.underWay == 0 ? true : nil }
    }
}

/// All copies of a `send` share one: when the last of them is released, nothing more can be sent.
final class SendEnd: Sendable {
    let gate: SendGate

    init(_ gate: SendGate) { self.gate = gate }

    deinit { gate.finish() }
}
