/// Tracks the effects of one dispatch: how many have not ended, what they sent, and their errors.
///
/// Only callers keep it: what nobody can ask for is not collected.
final class Tracker<Action: Sendable>: Sendable {
    typealias Sent = Result<Action, any Error>

    /// Whether the effects of the actions that they send are tracked too.
    let tracksFeedback: Bool
    /// What its effects emit, from their start on.
    let outputs = OutputLog()
    private let effects = Watched(TrackedEffects())

    init(tracksFeedback: Bool) {
        self.tracksFeedback = tracksFeedback
    }

    var errors: [any Error] { effects.read { $0.errors.values } }
    var isCancelled: Bool { effects.read { $0.isCancelled } }
    /// Whether all effects that it follows have ended.
    var isOver: Bool { effects.read { $0.isOver } }

    // Callers wait for results, or for the end. Nothing else wakes them: a dispatch can have ten thousand effects.

    func begin() {
        effects.changeQuietly { $0.open += 1 }
    }

    func finish(_ error: (any Error)? = nil, isCancelled: Bool = false) {
        finish(error.map { [$0] } ?? [], isCancelled: isCancelled)
    }

    func finish(_ errors: [any Error], isCancelled: Bool) {
        for error in errors {
            // What a value of the app does at its end must not meet a lock.
            withExtendedLifetime(effects.changeQuietly { $0.errors.add(error) }) {}
            add(.failure(error))
        }
        let isLast = effects.changeQuietly { effects in
            if isCancelled { effects.isCancelled = true }
            effects.open -= 1
            return effects.open == 0
        }
        if isLast { end() }
    }

    /// One of its effects was cancelled. It has not ended yet: its cancel action is to be sent.
    func wasCancelled() {
        effects.changeQuietly { $0.isCancelled = true }
    }

    func sent(_ action: Action) { add(.success(action)) }

    private func add(_ sent: Sent) {
        let result = Boxed(sent)
        let (isAwaited, oldest) = effects.changeQuietly { effects in
            let oldest = effects.results.add(result)
            return (effects.readers > 0, oldest)
        }
        if isAwaited { effects.wake() }
        withExtendedLifetime(oldest) {}
    }

    func end() {
        outputs.end()
        effects.change { $0.isOver = true }
    }

    /// Takes the next result; nil if none comes any more, or the task is cancelled.
    func nextResult() async -> Sent? {
        effects.changeQuietly { $0.readers += 1 }
        defer { effects.changeQuietly { $0.readers -= 1 } }
        while await effects.wait(for: { $0.isOver || !$0.results.values.isEmpty ? true : nil }) != nil {
            let (result, isLast) = effects.changeQuietly { ($0.results.take(), $0.isOver) }
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

/// What is known of the effects. Outside of the generic class, because looking up a type that depends on the machine is
/// slow.
private struct TrackedEffects: Sendable {
    var open = 0
    var isOver = false
    var isCancelled = false
    /// How many callers wait for a result.
    var readers = 0
    var errors = Newest<any Error>()
    /// The results that were not taken yet, boxed.
    var results = Newest<any AnyObject & Sendable>()
}

/// The newest values. There is a limit, because the caller may never read them; the journal has all of them.
private struct Newest<Value: Sendable>: Sendable {
    private static var most: Int { 1_024 }
    private(set) var values: [Value] = []

    /// - Returns: the oldest value, if it had to go. It may not be released while a lock is held.
    mutating func add(_ value: Value) -> Value? {
        let oldest = values.count == Self.most ? values.removeFirst() : nil
        values.append(value)
        return oldest
    }

    mutating func take() -> Value? { values.isEmpty ? nil : values.removeFirst() }
}
