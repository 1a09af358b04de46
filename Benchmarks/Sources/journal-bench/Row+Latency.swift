import JournalStore

extension Row {
    /// How long single dispatches take while many wait for the disk. The floor is how long the disk takes for 4 KiB,
    /// appended to a file in the same folder, with one write and one sync after the other.
    static let latency = Row(
        name: "latency of a dispatch under 64 tasks, FULL", entries: 12_800,
        measuringAll: { bench in
            let each = bench.scaled(200)
            var rounds: [(library: Latencies, disk: Latencies)] = []
            for _ in 0..<bench.rounds {
                var library: [Duration] = []
                var disk: [Duration] = []
                _ = try await bench.withStore(.full, expecting: .dispatching(0..<64 * each)) {
                    library = try await $0.latencies(tasks: 64, each: each)
                }
                try await bench.folder.withFreshFolder { folder in
                    disk = try Disk.syncTimes(path: folder + "/plain", count: bench.scaled(4_000))
                }
                rounds.append((Latencies(library), Latencies(disk)))
            }
            return [("p50", 0.5), ("p99", 0.99), ("p99.9", 0.999)].map { name, part in
                Finding(
                    .time, aspect: name,
                    comparing: rounds.map { ($0.library.percentile(part), $0.disk.percentile(part)) })
            }
        })
}

/// The durations of many operations.
private struct Latencies {
    private let sorted: [Duration]

    init(_ durations: [Duration]) {
        sorted = durations.sorted()
    }

    /// The duration that this part of all operations does not exceed, in seconds.
    func percentile(_ part: Double) -> Double {
        sorted[min(sorted.count - 1, Int(Double(sorted.count) * part))].inSeconds
    }
}

extension StoreLibrary {
    /// Dispatches as ``dispatch(tasks:each:)`` does, and returns how long each dispatch took.
    @concurrent
    fileprivate func latencies(tasks: Int, each count: Int) async throws -> [Duration] {
        try await withThrowingTaskGroup(of: [Duration].self) { group in
            for task in 0..<tasks {
                group.addTask {
                    var durations: [Duration] = []
                    durations.reserveCapacity(count)
                    for step in 0..<count {
                        let start = ContinuousClock.now
                        try await store.dispatch(StoreLibrary.action(task * count + step))
                        durations.append(ContinuousClock.now - start)
                    }
                    return durations
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }
}
