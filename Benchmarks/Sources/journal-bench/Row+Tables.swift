import JournalStore

/// The row of a transition table. The floor is the same machine as a plain reducer.
extension Row {
    static let table = Row(
        name: "store: a transition table, one task dispatching and awaiting, NORMAL", entries: 16_000,
        target: .atLeast(0.95)
    ) { bench in
        let turns = 10
        let each = max(1, bench.scaled(16_000) / ParcelEvent.round.count / turns)
        let entries = each * ParcelEvent.round.count
        return try await bench.folder.withFreshFolder { folder in
            let floor = try await ParcelStore(folder + "/reducer.db", Parcel.asReducer)
            let table = try await ParcelStore(folder + "/table.db", Parcel.asTable)
            let finding = try await bench.compare(entries: entries, turns: turns) {
                try await ContinuousClock().measure { try await floor.dispatch(rounds: each) }
            } library: {
                try await ContinuousClock().measure { try await table.dispatch(rounds: each) }
            }
            let steps = 1_000 + entries * turns * bench.rounds
            try await floor.close(expecting: steps)
            try await table.close(expecting: steps)
            return finding
        }
    }
}
