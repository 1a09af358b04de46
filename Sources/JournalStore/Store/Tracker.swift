/// Tracks the effects of one dispatch: how many have not ended, what they sent, and their errors.
final class Tracker<Action: Sendable>: Sendable {
    typealias Sent = Result<Action, any Error>

    /// Whether the effects of the actions that they send are tracked too.
    let tracksFeedback: Bool
    /// What its effects emit, from their start on.
    let outputs = OutputLog(isHeld: true)
    private let effects = Watched(TrackedEffects())

    init(tracksFeedback: Bool) {
        self.tracksFeedback = tracksFeedback
    }

    var errors: [any Error] { effects.read { $0.errors.values } }
    var isCancelled: Bool { effects.read { $0.isCancelled } }

    func begin() {
        effects.change { $0.open += 1 }
    }

    func finish(_ error: (any Error)? = nil, isCancelled: Bool = false) {
        let result = error.map { Boxed(Sent.failure($0)) }
        let isLast = effects.change { effects in
            if let error, let result {
                effects.errors.add(error)
                effects.results.add(result)
            }
            if isCancelled { effects.isCancelled = true }
            effects.open -= 1
            return effects.open == 0
        }
        if isLast { end() }
    }

    func sent(_ action: Action) {
        let result = Boxed(Sent.success(action))
        effects.change { $0.results.add(result) }
    }

    func end() {
        outputs.end()
        effects.change { $0.isOver = true }
    }

    /// Takes the next result; nil if none comes any more, or the task is cancelled.
    func nextResult() async -> Sent? {
        while await effects.wait(for: { $0.isOver || !$0.results.values.isEmpty ? true : nil }) != nil {
            let (result, isLast) = effects.change { ($0.results.take(), $0.isOver) }
            // Only this tracker adds results.
            if let result { return unsafeDowncast(result, to: Boxed<Sent>.self).value }
            if isLast { return nil }
        }
        return nil
    }

    /// Waits until all effects have ended, the store ends, or the task is cancelled.
    func completion() async {
        _ = await effects.wait { $0.isOver ? true : nil }
    }
}

/// What is known of the effects. Outside of the generic class, because looking up a type that depends on the machine is slow.
private struct TrackedEffects: Sendable {
    var open = 0
    var isOver = false
    var isCancelled = false
    var errors = Newest<any Error>()
    /// The results that were not taken yet, boxed.
    var results = Newest<any AnyObject & Sendable>()
}

/// The newest values: the caller may not read them, and the journal has all of them.
private struct Newest<Value: Sendable>: Sendable {
    private static var most: Int { 1_024 }
    private(set) var values: [Value] = []

    mutating func add(_ value: Value) {
        if values.count == Self.most { values.removeFirst() }
        values.append(value)
    }

    mutating func take() -> Value? { values.isEmpty ? nil : values.removeFirst() }
}
