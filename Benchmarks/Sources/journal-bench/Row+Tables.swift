import JournalStore

/// The rows of machines that are written as lists of transitions. The floor is the same machine as a plain reducer.
extension Row {
    static let table = transitions("a transition table", Parcel.asTable)
    static let whenOn = transitions("a When/On machine", Parcel.asStateMachine)

    private static func transitions(_ what: String, _ machine: Machine<ParcelEvent, Parcel, Void>) -> Row {
        Row(
            name: "store: \(what), one task dispatching and awaiting, NORMAL", entries: 16_000, target: .atLeast(0.95)
        ) { bench in
            let turns = 10
            let each = max(1, bench.scaled(16_000) / ParcelEvent.round.count / turns)
            let entries = each * ParcelEvent.round.count
            return try await bench.folder.withFreshFolder { folder in
                let floor = try await ParcelStore(folder + "/reducer.db", Parcel.asReducer)
                let store = try await ParcelStore(folder + "/transitions.db", machine)
                let finding = try await bench.compare(entries: entries, turns: turns) {
                    try await ContinuousClock().measure { try await floor.dispatch(rounds: each) }
                } library: {
                    try await ContinuousClock().measure { try await store.dispatch(rounds: each) }
                }
                let steps = 1_000 + entries * turns * bench.rounds
                try await floor.close(expecting: steps)
                try await store.close(expecting: steps)
                return finding
            }
        }
    }
}
