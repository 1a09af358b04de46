import JournalStore

/// Stores of many streams in one journal, used in turn.
struct ManyStreams: Sendable {
    private let journal: Journal
    private let stores: [Store<BenchAction, BenchState>]

    /// Opens the stores, and dispatches the first step of each.
    @concurrent
    init(_ path: String, count: Int, durability: Durability) async throws {
        var options = Journal.Options()
        options.durability = durability
        // A snapshot of every stream at the end would only take time.
        options.snapshots.onClose = false
        journal = try Journal(path: path, options: options)
        var stores: [Store<BenchAction, BenchState>] = []
        for number in 0..<count {
            stores.append(try await journal.open(StoreLibrary.machine, stream: "stream-\(number)"))
        }
        self.stores = stores
        try await dispatch(tasks: 100, each: max(1, count / 100))
    }

    /// Each task waits for its own dispatch before it continues with its next stream; together they go through all
    /// streams round-robin.
    @concurrent
    func dispatch(tasks: Int, each count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<count {
                        let number = round * tasks + task
                        try await stores[number % stores.count].dispatch(StoreLibrary.action(number))
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The same with actions that have an effect, which sends one action; each task waits for its completion.
    @concurrent
    func dispatchWithEffects(tasks: Int, each count: Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<count {
                        let number = round * tasks + task
                        try await stores[number % stores.count].dispatch(.fetch).completion()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// The number of steps of all streams, and the sum of their states.
    var end: StoreLibrary.End {
        get throws {
            StoreLibrary.End(
                steps: try journal.reader.streams().reduce(0) { $0 + $1.headStep },
                sum: stores.reduce(0) { $0 + $1.state.sum })
        }
    }

    @concurrent
    func close() async throws {
        try await journal.close()
    }
}
