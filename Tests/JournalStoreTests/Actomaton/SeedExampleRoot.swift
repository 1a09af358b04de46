import Foundation
import JournalStore

// Example 1-5 of Actomaton's README: three features, composed into one machine.

enum Gallery {
    enum Counter {
        enum Action: Codable, Sendable, Equatable { case increment, decrement }

        struct State: Codable, Sendable, Equatable { var count = 0 }

        static let reducer = Reducer<Action, State, Void> { action, state, _ in
            switch action {
            case .increment: state.count += 1
            case .decrement: state.count -= 1
            }
            return .empty
        }
    }

    enum Todo {
        enum Action: Codable, Sendable, Equatable {
            case add(String)
            case toggle(UUID)
        }

        struct Item: Codable, Sendable, Equatable {
            var id: UUID
            var text: String
            var isDone = false
        }

        struct State: Codable, Sendable, Equatable { var items: [Item] = [] }

        static let reducer = Reducer<Action, State, Void> { action, state, _, step in
            switch action {
            case .add(let text):
                state.items.append(Item(id: step.uuid(), text: text))
            case .toggle(let id):
                guard let index = state.items.firstIndex(where: { $0.id == id }) else { return .reject("no such item") }
                state.items[index].isDone.toggle()
            }
            return .empty
        }
    }

    enum Stopwatch {
        enum Action: Codable, Sendable, Equatable { case start, tick, stop }

        struct State: Codable, Sendable, Equatable { var seconds = 0 }

        struct Environment: Sendable { var clock: any Clock<Duration> }

        struct TickID: EffectIDProtocol {}

        static let reducer = Reducer<Action, State, Environment> { action, state, environment in
            switch action {
            case .start:
                return .stream(id: TickID()) { send, _ in
                    while true {
                        try await environment.clock.sleep(for: .seconds(1))
                        try await send(.tick)
                    }
                }
            case .tick:
                state.seconds += 1
                return .empty
            case .stop:
                return .cancel(id: TickID())
            }
        }
    }

    enum Root {}  // just a namespace
}

extension Gallery.Root {
    enum Action: Codable, Sendable, Equatable {
        case changeCurrent(State.Current?)

        case counter(Gallery.Counter.Action)
        case stopwatch(Gallery.Stopwatch.Action)
        case todo(Gallery.Todo.Action)
    }

    struct State: Codable, Equatable, Sendable {
        var current: Current?

        // Current screen (NOTE: enum, so only 1 screen will appear)
        enum Current: Codable, Equatable, Sendable {
            case counter(Gallery.Counter.State)
            case stopwatch(Gallery.Stopwatch.State)
            case todo(Gallery.Todo.State)
        }
    }

    struct Environment: Sendable {
        var stopwatch: Gallery.Stopwatch.Environment
    }

    static var reducer: Reducer<Action, State, Environment> {
        Reducer.combine(
            Reducer { action, state, _ in
                guard case .changeCurrent(let current) = action else { return .empty }
                state.current = current
                return .empty
            },

            Gallery.Counter.reducer
                .contramap(action: /Action.counter)
                .contramap(state: /State.Current.counter)
                .contramap(state: \State.current)
                .contramap(environment: { _ in () }),

            Gallery.Todo.reducer
                .contramap(action: /Action.todo)
                .contramap(state: /State.Current.todo)
                .contramap(state: \State.current)
                .contramap(environment: { _ in () }),

            Gallery.Stopwatch.reducer
                .contramap(action: /Action.stopwatch)
                .contramap(state: /State.Current.stopwatch)
                .contramap(state: \State.current)
                .contramap(environment: { $0.stopwatch })
        )
    }
}
