import JournalStore

/// The action that the payloads are the text of, one whose effect sends one, and one whose effect goes on.
enum BenchAction: Codable, Sendable {
    case add(count: Int, item: String)
    case fetch
    case wait
}

struct BenchState: Codable, Sendable, Equatable {
    var sum = 0
}

/// A store, as an app uses it. Every function runs on the concurrent pool, as an app's tasks do.
struct StoreLibrary: Sendable {
    private static let items = ["apple", "pear", "plum", "cherry", "quince", "orange", "lemon", "fig"]
    static let machine = Machine<BenchAction, BenchState, Void>("bench", initialState: BenchState()) {
        action, state, _ in
        switch action {
        case .add(let count, _):
            state.sum &+= count
            return .none
        case .fetch:
            return .run("fetch") { .add(count: 1, item: "apple") }
        case .wait:
            return .fireAndForget("wait") { try await Task.sleep(for: .seconds(100_000)) }
        }
    }

    let journal: Journal
    let store: Store<BenchAction, BenchState>

    /// - Parameter path: nil for a journal in memory.
    @concurrent
    init(_ path: String?, durability: Durability, snapshots: SnapshotPolicy = SnapshotPolicy()) async throws {
        var options = Journal.Options()
        options.durability = durability
        options.snapshots = snapshots
        journal = try path.map { try Journal(path: $0, options: options) } ?? Journal.inMemory(options: options)
        store = try await journal.open(Self.machine, stream: "stream")
    }

    /// So many steps, of which each so-manieth has an effect that goes on.
    @concurrent
    func dispatch(steps: Int, waitingEvery interval: Int?) async throws {
        for start in stride(from: 1, through: steps, by: 1_000) {
            try await store.dispatch(
                contentsOf: (start..<start + 1_000).map { number in
                    if let interval, number.isMultiple(of: interval) { .wait } else { Self.action(number) }
                })
        }
    }

    static func action(_ number: Int) -> BenchAction {
        .add(count: number * 7 % 1_000, item: items[number % items.count])
    }

    @concurrent
    func dispatch(tasks: Int, each count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for step in 0..<count { try await store.dispatch(Self.action(task * count + step)) }
                }
            }
            try await group.waitForAll()
        }
    }

    @concurrent
    func dispatch(transactions: Int, of entries: Int) async throws {
        for number in 0..<transactions {
            try await store.dispatch(contentsOf: (0..<entries).map { Self.action(number * entries + $0) })
        }
    }

    /// Each dispatch has one effect, which sends one action; waits until that has happened.
    @concurrent
    func dispatchWithEffect(count: Int) async throws {
        for _ in 0..<count {
            let dispatched = try await store.dispatch(.fetch)
            await dispatched.completion
        }
    }

    @concurrent
    func close() async throws {
        try await store.close()
        try await journal.close()
    }
}
