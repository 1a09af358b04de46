import JournalStore
import JournalTesting
import TortureKit

/// A journal in its own file, with a manual clock, and plain SQLite on the same file.
struct Workbench {
    /// The clock's first time.
    static let start = Timestamp(microseconds: 1_767_225_600_000_000)

    let clock = ManualClock(at: start)
    let path: String
    let journal: Journal
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
        journal = try Workbench.open(path, clock)
    }

    /// Opens the journal again. The first one must be closed.
    func reopened() throws -> Journal { try Workbench.open(path, clock) }

    private static func open(_ path: String, _ clock: ManualClock) throws -> Journal {
        try openJournal(path) {
            $0.durability = .normal
            $0.wallClock = clock.wallClock
        }
    }

    /// Queries the file as another program sees it now.
    func sql(_ query: String) throws -> [String] {
        try Shell(path, readOnly: true)(query)
    }

    /// The same, after everything up to now is written.
    func sql<Action, State>(_ query: String, after store: Store<Action, State>) async throws -> [String] {
        try await store.flush()
        return try sql(query)
    }

    /// Each effect's name and status, in the order of the steps.
    func runs<Action, State>(_ store: Store<Action, State>) async throws -> [String] {
        try await sql("SELECT name, status FROM effect_run ORDER BY stream, step, ordinal", after: store)
    }
}

extension Workbench {
    /// A store whose effects the test defines by name.
    func openPlay(
        _ stream: String = "a", effects: @escaping @Sendable (String) -> Effect<Play>
    ) async throws -> Store<Play, Score> {
        try await journal.open(play, stream: stream, environment: Stage(effects: effects), clock: clock)
    }
}

extension Store {
    /// Waits for a state that meets a condition.
    func reaches(_ condition: (State) -> Bool) async {
        for await state in states where condition(state) { return }
    }
}
