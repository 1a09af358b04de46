import JournalStore

/// The rows that write with the journal alone. The library decides how many entries go into a commit; the floor is
/// given that number.
extension Row {
    static let appends = [
        alone(.full, entries: 1_000),
        alone(.normal, entries: 10_000),
        together(64, .full, entries: 32_000),
        together(64, .normal, entries: 64_000),
        together(1_000, .full, entries: 50_000),
        together(1_000, .normal, entries: 50_000),
        atOnce,
    ]

    /// One task that waits for each entry; both sides commit each entry alone.
    private static func alone(_ durability: Durability, entries: Int) -> Row {
        Row(name: "journal: one task, \(durability.name)", entries: entries) { bench in
            let count = bench.scaled(entries)
            return try await bench.compare(entries: count) {
                try await bench.floor(durability, transactions: count, of: 1)
            } library: {
                try await bench.withLibrary(durability, appending: count) {
                    try await $0.append(bench.payloads, count: count)
                }
            }
        }
    }

    /// Many tasks in flight, each waiting for its own entry; the floor commits this many entries at once.
    private static func together(_ tasks: Int, _ durability: Durability, entries: Int) -> Row {
        Row(name: "journal: \(NumberText.short(tasks)) tasks in flight, \(durability.name)", entries: entries) {
            bench in
            let each = bench.scaled(entries / tasks)
            return try await bench.compare(entries: each * tasks) {
                try await bench.floor(durability, transactions: each, of: tasks)
            } library: {
                try await bench.withLibrary(durability, appending: each * tasks) {
                    try await $0.append(bench.payloads, tasks: tasks, each: each)
                }
            }
        }
    }

    /// Many entries in one call.
    private static let atOnce = Row(name: "journal: append(contentsOf:) of 1,000, NORMAL", entries: 100_000) { bench in
        let transactions = bench.scaled(100)
        return try await bench.compare(entries: transactions * 1_000) {
            try await bench.floor(.normal, transactions: transactions, of: 1_000)
        } library: {
            try await bench.withLibrary(.normal, appending: transactions * 1_000) {
                try await $0.append(bench.payloads, transactions: transactions, of: 1_000)
            }
        }
    }
}

extension Durability {
    /// SQLite's name for it.
    var name: String { rawValue.uppercased() }
}

extension Bench {
    /// Measures commits of several entries in plain C, on a fresh database.
    func floor(_ durability: Durability, transactions: Int, of entries: Int) async throws -> Duration {
        try await withFloor(durability, appending: transactions * entries) {
            try $0.append(payloads, transactions: transactions, of: entries)
        }
    }
}
