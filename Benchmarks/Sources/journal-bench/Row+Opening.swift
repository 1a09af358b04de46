import JournalStore

extension Row {
    /// Ten thousand effects that still run, spread over a million steps: each stretch of history is reduced once to have them again. The
    /// floor is an opening that reduces as many steps for nothing but the state.
    static let openingWithEffects = Row(name: "open, 10,000 running effects", entries: 1_000_000) { bench in
        let steps = bench.scaled(1_000_000)
        return try await bench.folder.withFreshFolder { folder in
            let (plain, running) = (folder + "/plain.db", folder + "/running.db")
            try await fill(plain, steps: steps, waitingEvery: nil, .never)
            try await fill(running, steps: steps, waitingEvery: 100, SnapshotPolicy())
            return try await bench.compare(entries: steps) {
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
        guard found == effects else { throw BenchError(message: "\(found) of \(effects) effects came back.") }
        return time
    }
}
