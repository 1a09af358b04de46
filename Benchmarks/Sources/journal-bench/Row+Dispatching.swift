import JournalStore

/// The rows of a store: encode, commit, reduce, settle. The floor is the same as for the journal alone.
extension Row {
    static let dispatches = [
        dispatching(1, .full, entries: 1_000, target: 0.90),
        dispatching(1, .normal, entries: 10_000, target: 0.70),
        dispatching(64, .full, entries: 16_000),
        dispatching(64, .normal, entries: 32_000),
        dispatching(1_000, .full, entries: 30_000, target: 0.55),
        dispatching(1_000, .normal, entries: 30_000, target: 0.40),
        dispatchingAtOnce,
    ]

    /// Several tasks, each waiting for its own dispatch; the floor commits this many entries at once.
    private static func dispatching(
        _ tasks: Int, _ durability: Durability, entries: Int, target: Double? = nil
    ) -> Row {
        Row(
            name: "store: \(inFlight(tasks)), \(durability.name)", entries: entries,
            target: target.map { .atLeast($0) }
        ) { bench in
            let all = bench.scaled(entries / tasks)
            // Turns must not be so short that starting the tasks matters.
            let turns = max(1, min(10, all / 10))
            let each = all / turns
            return try await bench.alternate(durability, entries: each * tasks, turns: turns) {
                try $0.append(bench.payloads, transactions: each, of: tasks)
            } library: {
                try await $0.dispatch(tasks: tasks, each: each)
            }
        }
    }

    static func inFlight(_ tasks: Int) -> String {
        tasks == 1 ? "one task dispatching and awaiting" : "\(NumberText.short(tasks)) tasks in flight"
    }

    private static let dispatchingAtOnce = Row(
        name: "store: dispatch(contentsOf:) of 1,000, NORMAL", entries: 50_000, target: .atLeast(0.70)
    ) { bench in
        let turns = 5
        let each = max(1, bench.scaled(50) / turns)
        return try await bench.alternate(.normal, entries: each * 1_000, turns: turns) {
            try $0.append(bench.payloads, transactions: each, of: 1_000)
        } library: {
            try await $0.dispatch(transactions: each, of: 1_000)
        }
    }
}
