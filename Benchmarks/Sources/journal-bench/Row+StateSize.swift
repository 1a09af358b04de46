import JournalStore

/// The rows that show whether a step costs more if the state is larger. Both sides are the library; the floor has a
/// small state.
extension Row {
    static let stateSizes = [
        dispatching(DictionaryState.self, 100_000, "a dictionary of 100 k structs", .atMost(1.2)),
        dispatching(ArrayState.self, 1_000_000, "an array of 1 M integers", .atMost(1.1)),
        dispatching(
            DictionaryState.self, 100_000, "a dictionary of 100 k structs, read every 1,000 steps", .atMost(2),
            readingEvery: 1_000),
        dispatching(
            DictionaryState.self, 100_000, "a dictionary of 100 k structs, beside an observer", .atMost(1.2),
            isObserved: true),
        dispatching(
            DictionaryState.self, 100_000, "a dictionary of 100 k structs, each tenth action rejected", .atMost(3),
            rejectingEvery: 10),
        replayedStep,
    ]

    private static let few = 10

    private static func dispatching<State: SizedState>(
        _ type: State.Type, _ count: Int, _ name: String, _ target: Target, rejectingEvery interval: Int? = nil,
        readingEvery readInterval: Int? = nil, isObserved: Bool = false
    ) -> Row {
        let steps = 4_000
        return Row(name: "a dispatch with \(name), against 10", entries: steps, target: target) { bench in
            let each = bench.scaled(steps)
            func run(_ count: Int) async throws -> Duration {
                try await bench.folder.withFreshFolder { folder in
                    let store = try await SizedStore(
                        folder + "/journal.db", type, count: count, isObserved: isObserved)
                    // The first rejected action replays the history.
                    if let interval { try await store.dispatch(interval, rejectingEvery: interval) }
                    let time = try await ContinuousClock().measure {
                        try await store.dispatch(each, rejectingEvery: interval, readingEvery: readInterval)
                    }
                    try await store.close(
                        expecting: sum(1_000) + (interval.map { sum($0, $0) } ?? 0) + sum(each, interval))
                    return time
                }
            }
            return try await bench.compare(.time, entries: each) {
                try await run(few)
            } library: {
                try await run(count)
            }
        }
    }

    /// What the actions up to a number add.
    private static func sum(_ count: Int, _ interval: Int? = nil) -> Int {
        (1...count).reduce(0) { sum, number in
            if let interval, number.isMultiple(of: interval) { sum } else { sum + number }
        }
    }

    /// The difference of two replays, so that decoding and the copy of the initial state do not count; without the time
    /// that the reducer alone takes on such a state.
    private static let replayedStep = Row(
        name: "a replayed step with a dictionary of 100 k structs, against 10", entries: 20_000, target: .atMost(1.2)
    ) { bench in
        let steps = bench.scaled(20_000)
        return try await bench.folder.withFreshFolder { folder in
            func fill(_ path: String, _ count: Int) async throws -> String {
                let store = try await SizedStore(path, DictionaryState.self, count: count)
                try await store.dispatch(steps)
                try await store.close(expecting: sum(1_000) + sum(steps))
                return path
            }
            let small = try await fill(folder + "/small.db", few)
            let large = try await fill(folder + "/large.db", 100_000)
            return try await bench.compare(.time, entries: steps, turns: 3) {
                try replay(small, few, steps)
            } library: {
                try replay(large, 100_000, steps)
            }
        }
    }

    private static func replay(_ path: String, _ count: Int, _ steps: Int) throws -> Duration {
        let machine = SizedStore<DictionaryState>.machine(count: count)
        let replayer = try Replayer(machine, reader: try JournalReader(path: path), stream: Library.streamName)
        func measure(_ step: Int) throws -> Duration {
            try ContinuousClock().measure { blackHole(try replayer.state(at: step).sum) }
        }
        var state = DictionaryState(count: count)
        let alone = ContinuousClock().measure {
            for number in 1...steps { _ = machine.reducer.reduce(.change(number), &state, ()) }
        }
        blackHole(state.sum)
        let short = try measure(1_000)
        return try measure(1_000 + steps) - short - alone
    }
}
