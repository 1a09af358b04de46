import JournalStore

/// The rows of a store: encode, commit, reduce, settle. The floor is the same as for the journal alone.
extension Row {
    static let dispatches = [
        dispatching(1, .full, entries: 4_000),
        dispatching(1, .normal, entries: 40_000),
        dispatching(64, .normal, entries: 128_000),
        dispatching(1_000, .full, entries: 200_000),
        dispatching(1_000, .normal, entries: 200_000),
    ]

    /// So many tasks, each waiting for its own dispatch; the floor commits as many at once.
    private static func dispatching(_ tasks: Int, _ durability: Durability, entries: Int) -> Row {
        Row(
            name: "store, \(tasks) \(tasks == 1 ? "task" : "tasks"), \(durability.rawValue.uppercased())",
            entries: entries
        ) {
            bench in
            let each = bench.scaled(entries / tasks)
            return try await bench.compare(entries: each * tasks) {
                try await bench.withFloor(durability) { try $0.append(bench.payloads, transactions: each, of: tasks) }
            } library: {
                try await bench.withStore(durability) { try await $0.dispatch(tasks: tasks, each: each) }
            }
        }
    }

    static let dispatchingAtOnce = Row(name: "store, 1000 in a call, NORMAL", entries: 200_000) { bench in
        let transactions = bench.scaled(200)
        return try await bench.compare(entries: transactions * 1_000) {
            try await bench.withFloor(.normal) { try $0.append(bench.payloads, transactions: transactions, of: 1_000) }
        } library: {
            try await bench.withStore(.normal) { try await $0.dispatch(transactions: transactions, of: 1_000) }
        }
    }

    /// One effect that sends one action, to its end; the floor is the same in memory.
    static let effects = Row(name: "store, an effect that sends, NORMAL", entries: 10_000) { bench in
        let count = bench.scaled(10_000)
        return try await bench.compare(entries: count) {
            let library = try await StoreLibrary(nil, durability: .normal)
            try await library.dispatch(transactions: 1, of: 1_000)
            let time = try await ContinuousClock().measure { try await library.dispatchWithEffect(count: count) }
            try await library.close()
            return time
        } library: {
            try await bench.withStore(.normal) { try await $0.dispatchWithEffect(count: count) }
        }
    }
}
