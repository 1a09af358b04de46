import JournalStore

/// The action whose texts the payloads are, one whose effect sends an action, and one whose effect keeps running.
enum BenchAction: Codable, Sendable {
    case add(count: Int, item: String)
    case fetch
    case wait
}

struct BenchState: Codable, Sendable, Equatable {
    var sum = 0
}

/// A store, used as an app uses it. Every function runs on the concurrent pool, as an app's tasks do.
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

    @concurrent
    init(_ path: String, durability: Durability, snapshots: SnapshotPolicy = SnapshotPolicy()) async throws {
        var options = Journal.Options()
        options.durability = durability
        options.snapshots = snapshots
        journal = try Journal(path: path, options: options)
        store = try await journal.open(Self.machine, stream: Library.streamName)
    }

    /// Dispatches this many steps; each `interval`-th has an effect that keeps running.
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

    /// What the actions of these numbers add to the state.
    static func sum(of numbers: Range<Int>) -> Int {
        numbers.reduce(0) { $0 + $1 * 7 % 1_000 }
    }

    @concurrent
    func dispatch(tasks: Int, each count: Int) async throws {
        try await store.dispatch(tasks: tasks, each: count)
    }

    @concurrent
    func dispatch(transactions: Int, of entries: Int) async throws {
        for number in 0..<transactions {
            try await store.dispatch(contentsOf: (0..<entries).map { Self.action(number * entries + $0) })
        }
    }

    /// Each dispatch has one effect, which sends one action; waits for its completion.
    @concurrent
    func dispatchWithEffect(count: Int) async throws {
        for _ in 0..<count {
            let dispatched = try await store.dispatch(.fetch)
            await dispatched.completion()
        }
    }

    /// - Parameter end: the expected end; nil to not check it.
    @concurrent
    func close(expecting end: End? = nil) async throws {
        try await store.close()
        if let end {
            try end.check(
                End(steps: try journal.reader.stream(Library.streamName).headStep, sum: store.state.sum))
        }
        try await journal.close()
    }
}

extension StoreLibrary {
    /// The end of a stream's history: checked, so that no row measures work that was not done.
    struct End: Equatable {
        var steps: Int
        var sum: Int

        func check(_ found: End) throws(BenchError) {
            guard found == self else { throw BenchError(message: "The end is \(found) instead of \(self).") }
        }

        /// The end after the initial actions and then the actions of these numbers.
        static func dispatching(_ numbers: Range<Int>, times: Int = 1) -> End {
            End(
                steps: 1_000 + numbers.count * times,
                sum: StoreLibrary.sum(of: 0..<1_000) + StoreLibrary.sum(of: numbers) * times)
        }

        /// The end after the initial actions and then this many actions whose effects each send one that adds 1.
        static func effects(_ count: Int) -> End {
            End(steps: 1_000 + 2 * count, sum: StoreLibrary.sum(of: 0..<1_000) + count)
        }
    }
}

extension Store where Action == BenchAction {
    /// Dispatches from several tasks, each of which waits for its own dispatch before the next.
    @concurrent
    func dispatch(tasks: Int, each count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for step in 0..<count { try await self.dispatch(StoreLibrary.action(task * count + step)) }
                }
            }
            try await group.waitForAll()
        }
    }
}
