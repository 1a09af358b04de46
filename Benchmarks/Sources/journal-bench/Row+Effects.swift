import JournalStore

/// The rows of effects that send one action each.
extension Row {
    static let effects = [lone, inOneStream]

    /// Until its completion. The floor is an actor without a journal that starts a task, awaits it, and reduces what it
    /// returns.
    private static let lone = Row(
        name: "store: one effect that sends one action, to completion, NORMAL, against an actor in memory",
        entries: 1_000,
        target: .atMost(3)
    ) { bench in
        let count = bench.scaled(1_000)
        return try await bench.compare(.time, entries: count) {
            let machine = MemoryMachine()
            let time = await ContinuousClock().measure { await machine.dispatchWithEffect(count: count) }
            let sum = await machine.state.sum
            guard sum == count else { throw BenchError(message: "The actor reduced \(sum) of \(count) actions.") }
            return time
        } library: {
            try await bench.withStore(.normal, expecting: .effects(count)) {
                try await $0.dispatchWithEffect(count: count)
            }
        }
    }

    /// The floor is as many effects in flight, one in each stream, which share transactions.
    private static let inOneStream = Row(
        name: "store: 1,000 effects in flight in one stream, against one in each of 1,000 streams, FULL",
        entries: 10_000,
        target: .atLeast(0.4)
    ) { bench in
        let each = max(1, bench.scaled(10_000) / 1_000)
        func run(streams count: Int) async throws -> Duration {
            try await bench.folder.withFreshFolder { folder in
                let streams = try await ManyStreams(folder + "/journal.db", count: count, durability: .full)
                let before = try streams.end
                let time = try await ContinuousClock().measure {
                    try await streams.dispatchWithEffects(tasks: 1_000, each: each)
                }
                let end = StoreLibrary.End(steps: before.steps + 2_000 * each, sum: before.sum + 1_000 * each)
                try end.check(try streams.end)
                try await streams.close()
                return time
            }
        }
        return try await bench.compare(entries: each * 1_000) {
            try await run(streams: 1_000)
        } library: {
            try await run(streams: 1)
        }
    }
}
