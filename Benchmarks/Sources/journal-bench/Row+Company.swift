import JournalStore

/// The rows of 64 tasks that dispatch while something else runs. The floor is the same without it.
extension Row {
    static let company = [listener, follower, snapshots]
    private static let tasks = 64
    private static let turns = 2
    private static let entries = 16_000

    /// A listener takes every published state.
    private static let listener = dispatching(beside: "a listener on states") { library, end in
        var last = 0
        for await state in library.store.states {
            guard state.sum >= last else { throw BenchError(message: "A state came after a later one.") }
            last = state.sum
            if last == end.sum { return }
        }
        throw BenchError(message: "The last state is \(last) instead of \(end.sum).")
    }

    /// A follower reads every entry as it is committed.
    private static let follower = dispatching(beside: "a follower of all entries") { library, end in
        var position = 1_000
        for try await entry in library.journal.reader.follow(after: position) {
            guard entry.position == position + 1 else { throw BenchError(message: "An entry was left out.") }
            position = entry.position
            if position == end.steps { return }
        }
        throw BenchError(message: "The last entry is \(position) instead of \(end.steps).")
    }

    /// - Parameter companion: runs until it has seen the end.
    private static func dispatching(
        beside name: String,
        _ companion: @escaping @Sendable (StoreLibrary, StoreLibrary.End) async throws -> Void
    ) -> Row {
        row(beside: name) { bench, each in
            let end = StoreLibrary.End.dispatching(0..<each * tasks)
            return try await bench.compare(entries: each * tasks, turns: turns) {
                try await bench.withStore(.normal, expecting: end) { try await $0.dispatch(tasks: tasks, each: each) }
            } library: {
                var time = Duration.zero
                _ = try await bench.withStore(.normal, expecting: end) { library in
                    async let company: Void = companion(library, end)
                    time = try await ContinuousClock().measure {
                        try await library.dispatch(tasks: tasks, each: each)
                    }
                    try await company
                }
                return time
            }
        }
    }

    /// The store writes a snapshot of about 100 KB every 1,000 steps.
    private static let snapshots = row(beside: "snapshots of 100 KB") { bench, each in
        func run(_ policy: SnapshotPolicy) async throws -> Duration {
            try await bench.folder.withFreshFolder { folder in
                let loaded = try await LoadedStore(folder + "/journal.db", stateBytes: 100_000, snapshots: policy)
                let time = try await ContinuousClock().measure {
                    try await loaded.store.dispatch(tasks: tasks, each: each)
                }
                try await loaded.close(
                    expecting: .dispatching(0..<each * tasks), hasSnapshots: policy.steps != nil)
                return time
            }
        }
        return try await bench.compare(entries: each * tasks, turns: turns) {
            try await run(.never)
        } library: {
            try await run(SnapshotPolicy(everySteps: 1_000, onClose: false))
        }
    }

    private static func row(
        beside name: String, _ measure: @escaping @Sendable (Bench, _ each: Int) async throws -> Finding
    ) -> Row {
        Row(
            name: "store: \(inFlight(tasks)), NORMAL, beside \(name)", entries: entries, target: .atLeast(0.85)
        ) { bench in
            // Enough for a snapshot to be due, in a quick run too.
            try await measure(bench, max(32, bench.scaled(entries / tasks) / turns))
        }
    }
}
