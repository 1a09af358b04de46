import JournalStore

/// The rows that write. The floor is given what the library has to find out: how many entries a commit takes.
extension Row {
    static let commits = [
        alone(.full, entries: 4_000),
        alone(.normal, entries: 40_000),
        together(64, .full, entries: 64_000),
        together(64, .normal, entries: 128_000),
        together(1_000, .full, entries: 200_000),
        together(1_000, .normal, entries: 200_000),
    ]

    /// One task that waits for each entry; one commit each on both sides.
    private static func alone(_ durability: Durability, entries: Int) -> Row {
        Row(name: "1 task, \(durability.name)", entries: entries) { bench in
            let count = bench.scaled(entries)
            return try await bench.compare(entries: count) {
                try await bench.withFloor(durability) { try $0.append(bench.payloads, transactions: count, of: 1) }
            } library: {
                try await bench.withLibrary(durability) { try await $0.append(bench.payloads, count: count) }
            }
        }
    }

    /// Many tasks in flight, each waiting for its own entry; the floor commits as many at once.
    private static func together(_ tasks: Int, _ durability: Durability, entries: Int) -> Row {
        Row(name: "\(tasks) tasks, \(durability.name)", entries: entries) { bench in
            let each = bench.scaled(entries / tasks)
            return try await bench.compare(entries: each * tasks) {
                try await bench.withFloor(durability) { try $0.append(bench.payloads, transactions: each, of: tasks) }
            } library: {
                try await bench.withLibrary(durability) {
                    try await $0.append(bench.payloads, tasks: tasks, each: each)
                }
            }
        }
    }

    /// Many entries in one call.
    static let atOnce = Row(name: "1000 in a call, NORMAL", entries: 400_000) { bench in
        let transactions = bench.scaled(400)
        return try await bench.compare(entries: transactions * 1_000) {
            try await bench.withFloor(.normal) {
                try $0.append(bench.payloads, transactions: transactions, of: 1_000)
            }
        } library: {
            try await bench.withLibrary(.normal) {
                try await $0.append(bench.payloads, transactions: transactions, of: 1_000)
            }
        }
    }
}

extension Durability {
    /// SQLite's own word for it.
    fileprivate var name: String { rawValue.uppercased() }
}
