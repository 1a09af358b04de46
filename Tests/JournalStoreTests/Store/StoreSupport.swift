import JournalTesting
import TortureKit

@testable import JournalStore

/// The actions of a machine whose effects the test supplies.
enum Play: Codable, Sendable, Equatable {
    case add(Int)
    case start(String)
    case cancel(String)
    case ended(String)
    case cascade(Int)
    case refuse
    case draw
}

struct Score: Codable, Sendable, Equatable {
    var sum = 0
    var log: [String] = []
    var drawn: [String] = []
}

/// Supplies the effect that `Play.start(name)` returns, by its name.
struct Stage: Sendable {
    var effects: @Sendable (String) -> Effect<Play> = { _ in .none }
    /// Called by the reducer; only tests may do that.
    var reduced: @Sendable (Play, Step) -> Void = { _, _ in }
}

let play = Machine<Play, Score, Stage>("play", initialState: Score()) { action, state, stage, step in
    stage.reduced(action, step)
    switch action {
    case .add(let number):
        state.sum += number
        return .none
    case .start(let name):
        return stage.effects(name)
    case .cancel(let id):
        return .cancel(id: id)
    case .ended(let name):
        state.log.append(name)
        return .none
    case .cascade(let count):
        state.log.append("\(count)")
        return count > 0 ? .next(.cascade(count - 1)) : .none
    case .refuse:
        state.sum = -1
        return .reject("no") + .run("never") { nil }
    case .draw:
        state.drawn.append("\(step.uuid()) \(Int.random(in: 0..<1_000_000, using: &step)) \(step.time)")
        return .none
    }
}

/// Holds bodies until it is opened, even if their tasks are cancelled.
final class Door: Sendable {
    private let isOpen = Watched(false)
    private let comers = Watched(0)

    func open() { isOpen.change { $0 = true } }

    /// Waits until the door is open, even in a cancelled task.
    func pass() async {
        comers.change { $0 += 1 }
        await Task.detached { [isOpen] in _ = await isOpen.wait { $0 ? true : nil } }.value
    }

    /// Waits until this many bodies have come to the door.
    func comers(_ count: Int) async {
        _ = await comers.wait { $0 >= count ? true : nil }
    }
}

/// Suspends until its task is cancelled, and then throws.
func forever() async throws {
    let (stream, continuation) = AsyncStream<Void>.makeStream()
    for await _ in stream {}
    withExtendedLifetime(continuation) {}
    throw CancellationError()
}

extension Journal {
    func openPlay(
        _ stream: String = "a", clock: any Clock<Duration> = ContinuousClock(),
        effects: @escaping @Sendable (String) -> Effect<Play> = { _ in .none },
        reduced: @escaping @Sendable (Play, Step) -> Void = { _, _ in }
    ) async throws -> Store<Play, Score> {
        try await open(
            play, stream: stream, environment: Stage(effects: effects, reduced: reduced), clock: clock)
    }
}
