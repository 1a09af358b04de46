import JournalStore

extension Row {
    /// The same by plain C and SQLite, a thousand entries a commit: what many streams cost by themselves.
    static func plainStreams(_ count: Int, entries: Int) -> Row {
        Row(name: "\(NumberText.short(count)) streams round-robin, in plain C", entries: entries) { bench in
            let transactions = max(1, bench.scaled(entries / 1_000))
            let entries = transactions * 1_000
            func run(streams: Int) async throws -> Duration {
                try await bench.withFloor(.normal, streams: streams, appending: entries) {
                    try $0.append(bench.payloads, transactions: transactions, of: 1_000)
                }
            }
            return try await bench.compare(entries: entries) {
                try await run(streams: 1)
            } library: {
                try await run(streams: bench.scaled(count))
            }
        }
    }

    /// One journal's stores in turn. The floor is the one store of another journal, given as much by as many tasks. Both are
    /// opened once: what is measured is the dispatching alone.
    static func streams(_ count: Int, entries: Int) -> Row {
        Row(
            name: "\(NumberText.short(count)) streams round-robin, 1,000 tasks in flight, NORMAL", entries: entries,
            target: .atLeast(0.50)
        ) { bench in
            let turns = 2
            let each = max(1, bench.scaled(entries / 1_000) / turns)
            return try await bench.folder.withFreshFolder { folder in
                let one = try await ManyStreams(folder + "/one.db", count: 1, durability: .normal)
                let many = try await ManyStreams(
                    folder + "/many.db", count: bench.scaled(count), durability: .normal)
                func run(_ streams: ManyStreams) async throws -> Duration {
                    let before = try streams.end
                    let time = try await ContinuousClock().measure {
                        try await streams.dispatch(tasks: 1_000, each: each)
                    }
                    let sum = before.sum + StoreLibrary.sum(of: 0..<each * 1_000)
                    try StoreLibrary.End(steps: before.steps + each * 1_000, sum: sum).check(try streams.end)
                    return time
                }
                let finding = try await bench.compare(entries: each * 1_000, turns: turns) {
                    try await run(one)
                } library: {
                    try await run(many)
                }
                try await one.close()
                try await many.close()
                return finding
            }
        }
    }
}
