import JournalStore
import JournalTesting
import Synchronization

/// Prints a line for each recipe: its name and "ok", or what is wrong.
func play(_ name: String, _ recipe: () async throws -> Void) async {
    do {
        try await recipe()
        print("\(name): ok")
    } catch {
        print("\(name): \(error)")
    }
}

struct Broken: Error, CustomStringConvertible {
    var description: String
}

func expect(_ isTrue: Bool, _ text: String) throws {
    if !isTrue { throw Broken(description: text) }
}

struct Unavailable: Error {}

/// A value that several tasks change.
final class Box<Value: Sendable>: Sendable {
    private let content: Mutex<Value>

    init(_ value: sending Value) { content = Mutex(value) }

    var value: Value { content.withLock { $0 } }
    func change(_ body: (inout Value) -> Void) { content.withLock { body(&$0) } }
}

/// The state after a script without a kill. A matrix only compares lives with each other.
func end<Action, State, Environment>(
    of machine: Machine<Action, State, Environment>, _ script: [CrashStep<Action>], at start: Timestamp? = nil,
    _ environment: Environment
) async throws -> State {
    let clock = start.map { ManualClock(at: $0) } ?? ManualClock()
    var options = Journal.Options()
    options.follow(clock)
    let journal = try Journal.inMemory(options: options)
    let store = try await journal.open(machine, stream: "recipe", environment: environment, clock: clock)
    for step in script {
        switch step {
        case .dispatch(let action): try await store.dispatch(action)
        case .cancel(let id): try await store.cancel(id: id)
        case .advance(let time): await clock.advance(by: time)
        case .finish: try expect(await clock.runUntilIdle(), "it never ends")
        }
    }
    try await journal.close()
    return store.state
}
