import JournalStore

typealias State = Int

enum Action: String, Codable, Sendable {
    case start, tick, stop
}

struct TimerID: EffectIDProtocol {}

struct Environment: Sendable {
    let timerEffect: Effect<Action>
}

/// The environment of a timer with this interval.
///
/// It shows an effect with a sequence. A machine that only needs ticks returns the library's timer,
/// `.every(interval, .tick, id: TimerID())`: its ticks do not drift, and it has no body that a restart runs again.
func environment(_ interval: Duration) -> Environment {
    Environment(
        timerEffect: Effect(
            id: TimerID(),
            sequence: {
                AsyncStream<Action> { continuation in
                    let task = Task {
                        while true {
                            try await Task.sleep(for: interval)
                            continuation.yield(.tick)
                        }
                    }

                    continuation.onTermination = { @Sendable _ in
                        task.cancel()
                    }
                }
            })
    )
}

let reducer = Reducer<Action, State, Environment> { action, state, environment in
    switch action {
    case .start:
        return environment.timerEffect
    case .tick:
        state += 1
        return .empty
    case .stop:
        return Effect.cancel(id: TimerID())
    }
}

let machine = Machine("timer", initialState: 0, reducer: reducer)
