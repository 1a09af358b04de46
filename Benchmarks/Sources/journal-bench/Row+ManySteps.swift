import JournalStore

/// The rows that show whether anything gets slower as a history grows. Both sides are the library; the floor has a
/// short history.
extension Row {
    private static let few = 1_000

    static func after(_ steps: Int) -> [Row] {
        [dispatching(1, entries: 10_000, after: steps), dispatching(1_000, entries: 20_000, after: steps)]
    }

    private static func dispatching(_ tasks: Int, entries: Int, after steps: Int) -> Row {
        Row(
            name: "store: \(inFlight(tasks)), NORMAL, after \(NumberText.short(steps)) steps", entries: entries,
            target: .atLeast(0.90)
        ) { bench in
            let turns = 2
            let each = max(1, bench.scaled(entries / tasks) / turns)
            func run(after steps: Int) async throws -> Duration {
                try await bench.withStore(after: steps, dispatching: 0..<each * tasks) {
                    try await $0.dispatch(tasks: tasks, each: each)
                }
            }
            return try await bench.compare(entries: each * tasks, turns: turns) {
                try await run(after: few)
            } library: {
                try await run(after: bench.scaled(steps))
            }
        }
    }

    /// The newest step has a snapshot, so that nothing is reduced.
    static func openingWithSnapshot(at steps: Int, than few: Int) -> Row {
        Row(
            name: "open with a snapshot at \(NumberText.short(steps)) steps", entries: steps, target: .atMost(1.3)
        ) { bench in
            let paths = (
                few: try await bench.journal(steps: bench.scaled(few)),
                many: try await bench.journal(steps: bench.scaled(steps))
            )
            return try await bench.compare(.time, entries: 1, turns: 20) {
                try await open(paths.few, steps: bench.scaled(few))
            } library: {
                try await open(paths.many, steps: bench.scaled(steps))
            }
        }
    }

    private static func open(_ path: String, steps: Int) async throws -> Duration {
        let start = ContinuousClock.now
        let library = try await StoreLibrary(path, durability: .normal)
        let time = ContinuousClock.now - start
        let report = library.store.recovery
        guard report.snapshotStep == steps, report.replayedSteps == 0 else {
            throw BenchError(message: "The store was not opened with the snapshot of step \(steps): \(report)")
        }
        try await library.close(expecting: StoreLibrary.End(steps: steps, sum: StoreLibrary.sum(of: 1..<steps + 1)))
        return time
    }
}
