import JournalStore

/// A machine with outputs of every kind, and what its side effects do.
enum Kitchen {
    enum State: Codable, Hashable, Sendable {
        case idle
        case cooking(dish: String)
        case burnt
        case served(Int)
    }

    enum Event: Codable, Hashable, Sendable {
        case order(String), stir, ready, smoke, eaten(Int), clean
    }

    enum Output: Codable, Hashable, Sendable {
        case cook(dish: String)
        case alarm
        case count
        case greet
    }

    static let machine = StateMachine<State, Event, Output>(initial: .idle) {
        When(state: .idle) {
            Execute(output: .greet)
        } transitions: {
            On(event: Event.order) { dish in Move(to: .cooking(dish: dish)) }
        }
        When(state: State.cooking(dish:)) { dish in
            Execute(output: .cook(dish: dish))
        } transitions: { dish in
            On(event: .stir) { Move(to: .cooking(dish: dish)) }
            On(event: Event.order) { next in Move(to: .cooking(dish: next)) }
            On(event: .ready) { Move(to: .served(0)) }
            On(event: .smoke) { Move(to: .burnt) }
        }
        When(state: State.served) { _ in
            Execute(output: .count)
        } transitions: { count in
            On(event: Event.eaten) { more in
                Guard(predicate: more > 0)
            } transition: { more in
                Move(to: .served(count + more))
            }
            On(event: .clean) { Move(to: .idle) }
        }
        When(state: .burnt) {
            Execute(output: .alarm)
        } transitions: {
            On(event: .clean) { Move(to: .idle) }
        }
    }

    /// What the side effects of a test do.
    static func runtime(
        greet: @escaping @concurrent @Sendable () async -> Void = {},
        cook: @escaping @concurrent @Sendable (String) async throws -> Event? = { _ in nil },
        strategy: SideEffectStrategy<State> = .continueWhenAnyState, restart: Effect<Event>.Restart = .resume
    ) -> Runtime<State, Event, Output> {
        Runtime()
            .map(output: Output.cook(dish:), to: cook, strategy: strategy, restart: restart)
            .fireAndForget(output: .alarm, to: {})
            .map(output: .count, to: { nil })
            .fireAndForget(output: .greet, to: greet)
    }
}

extension Kitchen {
    struct Busy: Error {}

    /// What a side effect waits for in a test.
    struct Stove: Sendable {
        let entered = Signal()
        let leave = Signal()
        let cooked = Box<[String]>([])

        func cook(_ dish: String) async -> Kitchen.Event? {
            cooked.change { $0.append(dish) }
            entered.send()
            await leave.wait()
            return .ready
        }
    }
}
