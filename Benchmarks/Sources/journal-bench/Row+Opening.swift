import JournalStore

extension Row {
    /// Effects that are still running, one in a hundred steps: each range of history is reduced once to restore them.
    /// The floor is an opening that reduces as many steps only for the state.
    static func opening(runningEffects effects: Int) -> Row {
        Row(
            name: "open with \(NumberText.short(effects)) running effects", entries: effects * 100, target: .atMost(1.5)
        ) { bench in
            try await open(steps: bench.scaled(effects * 100), bench)
        }
    }

    private static func open(steps: Int, _ bench: Bench) async throws -> Finding {
        try await bench.folder.withFreshFolder { folder in
            let (plain, running) = (folder + "/plain.db", folder + "/running.db")
            try await fill(plain, steps: steps, waitingEvery: nil, .never)
            try await fill(running, steps: steps, waitingEvery: 100, SnapshotPolicy())
            return try await bench.compare(.time, entries: 1) {
                try await opened(plain, resuming: 0, .never)
            } library: {
                try await opened(running, resuming: steps / 100, SnapshotPolicy())
            }
        }
    }

    private static func fill(
        _ path: String, steps: Int, waitingEvery interval: Int?, _ snapshots: SnapshotPolicy
    ) async throws {
        let library = try await StoreLibrary(path, durability: .normal, snapshots: snapshots)
        try await library.dispatch(steps: steps, waitingEvery: interval)
        try await library.close()
    }

    private static func opened(
        _ path: String, resuming effects: Int, _ snapshots: SnapshotPolicy
    ) async throws -> Duration {
        let start = ContinuousClock.now
        let library = try await StoreLibrary(path, durability: .normal, snapshots: snapshots)
        let time = ContinuousClock.now - start
        let found = library.store.recovery.resumed.count
        try await library.close()
        guard found == effects else { throw BenchError(message: "\(found) of \(effects) effects were resumed.") }
        return time
    }
}
