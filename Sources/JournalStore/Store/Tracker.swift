/// Tracks the effects of one dispatch: how many have not ended, what they sent, and their errors.
final class Tracker<Action: Sendable>: Sendable {
    private struct State {
        var open = 0
        var isOver = false
        var isCancelled = false
        var errors: [any Error] = []
    }

    /// Whether the effects of the actions that they send are tracked too.
    let tracksFeedback: Bool
    let results: AsyncStream<Result<Action, any Error>>
    /// What its effects emit, from their start on.
    let outputs = OutputLog(isHeld: true)
    private let continuation: AsyncStream<Result<Action, any Error>>.Continuation
    private let state = Watched(State())

    /// The most results and errors that are kept, in case the caller does not read them: the journal has all of them.
    private static var mostKept: Int { 1_024 }

    init(tracksFeedback: Bool) {
        self.tracksFeedback = tracksFeedback
        (results, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.mostKept))
    }

    var errors: [any Error] { state.read { $0.errors } }
    var isCancelled: Bool { state.read { $0.isCancelled } }

    func begin() {
        state.change { $0.open += 1 }
    }

    func finish(_ error: (any Error)? = nil, isCancelled: Bool = false) {
        if let error { continuation.yield(.failure(error)) }
        let isLast = state.change { state in
            if let error {
                if state.errors.count == Self.mostKept { state.errors.removeFirst() }
                state.errors.append(error)
            }
            if isCancelled { state.isCancelled = true }
            state.open -= 1
            return state.open == 0
        }
        if isLast { end() }
    }

    func sent(_ action: Action) {
        continuation.yield(.success(action))
    }

    func end() {
        continuation.finish()
        outputs.end()
        state.change { $0.isOver = true }
    }

    /// Waits until all effects have ended, the store ends, or the task is cancelled.
    func completion() async {
        _ = await state.wait { $0.isOver ? true : nil }
    }
}
