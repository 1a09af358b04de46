import JournalTesting
import TortureKit

@testable import JournalStore

/// The body of the tests' handler: performs a chore and returns the action to dispatch.
typealias Performing = @Sendable (Chore, EffectContext) async throws -> Play?

extension Journal {
    /// Opens the tests' machine with `perform` as its handler for chores, or without a handler if it is nil.
    func openChores(
        _ stream: String = "a", clock: any Clock<Duration> = ContinuousClock(),
        effects: @escaping @Sendable (String) -> Effect<Play> = { .perform(Chore.sweep($0), id: $0) },
        reduced: @escaping @Sendable (Play, Step) -> Void = { _, _ in }, perform: Performing?
    ) async throws -> Store<Play, Score> {
        var reducer = play.reducer
        if let perform {
            reducer = reducer.handling(Chore.self) { chore, _, context in try await perform(chore, context) }
        }
        return try await open(
            Machine("play", initialState: Score(), reducer: reducer), stream: stream,
            environment: Stage(effects: effects, reduced: reduced), clock: clock)
    }
}

/// Keeps a copy of a journal after each of its transactions: what a kill at that moment would leave.
final class Wreckage: Sendable {
    let path: String
    private let folder: TemporaryFolder
    private let copies = Box<[String]>([])

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    var paths: [String] { copies.value }

    /// The journal that is copied.
    func journal(_ clock: ManualClock) throws -> Journal {
        try openJournal(path) { options in
            options.wallClock = clock.wallClock
            options.probe = { [self] point in
                if case .committed = point { copy() }
            }
        }
    }

    private func copy() {
        let copy = folder.path("\(copies.value.count).db")
        if (try? Shell(path, readOnly: true)("VACUUM INTO '\(copy)'")) != nil {
            copies.change { $0.append(copy) }
        }
    }
}

/// A journal at this path, with this clock.
func openJournal(_ path: String, _ clock: ManualClock, vfs: String? = nil) throws -> Journal {
    try openJournal(path) {
        $0.wallClock = clock.wallClock
        $0.vfs = vfs
    }
}

extension Store where Action == Play, State == Score {
    /// Waits until the log of the state equals this one.
    func says(_ log: String...) async throws {
        _ = try await dispatch(.add(0)) { $0.log == log }
    }

    /// Prunes all entries except the newest.
    func forgetsThePast(_ journal: Journal) async throws {
        let step = try await dispatch(.add(0)).step
        try await flush()
        try await engine.stream.saveSnapshot(engine.program.encode(state, engine.location), at: step)
        try await settles()
        try await journal.prune(stream, before: step + 1)
    }

    /// Waits until what is under way has arrived.
    func settles() async throws {
        try await dispatch(.add(0))
        try await flush()
    }
}
