import JournalStore

extension Row {
    /// The same in plain C and SQLite, with a thousand entries per commit: the cost of many streams in SQLite itself.
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

    /// The journal and one of its streams, which is read and dispatched to once; the other streams have one step each.
    static func opening(oneOf count: Int, than few: Int) -> Row {
        Row(
            name: "open one of \(NumberText.short(count)) streams, against one of \(few)", entries: count,
            target: .atMost(1.3)
        ) { bench in
            let few = try await bench.journal(streams: few)
            let many = try await bench.journal(streams: bench.scaled(count))
            func open(_ path: String) async throws -> Duration {
                try await ContinuousClock().measure {
                    var options = Journal.Options()
                    options.durability = .normal
                    let journal = try Journal(path: path, options: options)
                    let store = try await journal.open(StoreLibrary.machine, stream: "stream-5")
                    try await store.dispatch(StoreLibrary.action(1))
                    try await journal.close()
                }
            }
            return try await bench.compare(.time, entries: 1, turns: 20) {
                try await open(few)
            } library: {
                try await open(many)
            }
        }
    }

    /// The stores of one journal in turn. The floor is the only store of another journal, with as many actions from as
    /// many tasks. Both are opened once: only dispatching is measured.
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
