import JournalStore

/// The measurements that all rows share.
struct Bench: Sendable {
    let folder: TemporaryFolder
    let rounds: Int
    let isQuick: Bool
    let payloads = Payloads()
    private let schema: String

    init(folder: TemporaryFolder, rounds: Int?, isQuick: Bool) throws {
        self.folder = folder
        self.rounds = rounds ?? (isQuick ? 3 : 5)
        self.isQuick = isQuick
        schema = try SourceTree.schema()
    }

    /// The count, or a tenth of it in a quick run.
    func scaled(_ count: Int) -> Int { isQuick ? max(1, count / 10) : count }

    /// Measures the floor and the library in turn, each on fresh files of its own. Other load on the machine affects
    /// both in a round alike, so the ratio is steadier than the rates. They alternate in who goes first.
    ///
    /// - Parameters:
    ///   - unit: how the durations are reported: as a rate of entries, or as the time of one.
    ///   - entries: how many entries each of them handles in a turn.
    ///   - turns: how often they take turns in a round: more often gives both more nearly the same conditions.
    func compare(
        _ unit: Unit = .rate, entries: Int, turns: Int = 1, floor: () async throws -> Duration,
        library: () async throws -> Duration
    ) async throws -> Finding {
        func told(_ duration: Duration) -> Double {
            let all = Double(entries * turns)
            return unit == .rate ? all / duration.inSeconds : duration.inSeconds / all
        }
        var results: [(library: Double, floor: Double)] = []
        for round in 0..<rounds {
            var times = (library: Duration.zero, floor: Duration.zero)
            for turn in 0..<turns {
                let floorIsFirst = (round + turn).isMultiple(of: 2)
                if floorIsFirst { times.floor += try await floor() }
                times.library += try await library()
                if !floorIsFirst { times.floor += try await floor() }
            }
            results.append((told(times.library), told(times.floor)))
        }
        return Finding(unit, comparing: results)
    }

    /// Measures the floor and a store in short turns, each on one file for the whole round, because the speed of a disk
    /// changes more from second to second than the two differ.
    ///
    /// - Parameters:
    ///   - entries: how many entries each of them adds in a turn.
    ///   - floor: adds that many entries.
    ///   - library: dispatches the actions of the numbers from 0 up to `entries`.
    func alternate(
        _ durability: Durability, entries: Int, turns: Int, floor appendToFloor: (borrowing Floor) throws -> Void,
        library dispatch: (StoreLibrary) async throws -> Void
    ) async throws -> Finding {
        let numbers = 0..<entries
        let end = StoreLibrary.End.dispatching(numbers, times: turns)
        var results: [(library: Double, floor: Double)] = []
        for round in 0..<rounds {
            let times = try await folder.withFreshFolder { folder in
                let floor = try Floor(making: folder + "/floor.db", schema: schema, durability: durability)
                try floor.append(payloads, transactions: 1, of: 1_000)
                let library = try await StoreLibrary(folder + "/journal.db", durability: durability)
                try await library.dispatch(transactions: 1, of: 1_000)
                var times = (library: Duration.zero, floor: Duration.zero)
                for turn in 0..<turns {
                    let floorIsFirst = (round + turn).isMultiple(of: 2)
                    if floorIsFirst { times.floor += try ContinuousClock().measure { try appendToFloor(floor) } }
                    times.library += try await ContinuousClock().measure { try await dispatch(library) }
                    if !floorIsFirst { times.floor += try ContinuousClock().measure { try appendToFloor(floor) } }
                }
                try check(end.steps, try floor.scan())
                try await library.close(expecting: end)
                return times
            }
            let all = Double(entries * turns)
            results.append((all / times.library.inSeconds, all / times.floor.inSeconds))
        }
        return Finding(.rate, comparing: results)
    }

    /// Measures a time without a floor.
    ///
    /// - Parameter count: how many operations the body does in each round.
    func time(_ count: Int = 1, _ body: () async throws -> Duration) async throws -> Finding {
        var times: [Double] = []
        for _ in 0..<rounds { times.append(try await body().inSeconds / Double(count)) }
        return Finding(.time, times)
    }

    /// Measures the floor on a fresh database that already has some entries, as the library's has, so that neither is
    /// measured while it prepares its statements.
    ///
    /// - Parameters:
    ///   - streams: how many streams take turns. Each has an entry already.
    ///   - entries: how many entries the body appends; nil to not check the number.
    func withFloor(
        _ durability: Durability, streams: Int = 1, appending entries: Int? = nil,
        _ body: (borrowing Floor) throws -> Void
    ) async throws -> Duration {
        try await folder.withFreshFolder { folder in
            let floor = try Floor(
                making: folder + "/floor.db", schema: schema, durability: durability, streams: streams)
            let before = max(1, streams / 1_000)
            try floor.append(payloads, transactions: before, of: 1_000)
            let time = try ContinuousClock().measure { try body(floor) }
            if let entries { try check(before * 1_000 + entries, try floor.scan()) }
            return time
        }
    }

    /// Measures the library on a fresh journal that already has some entries.
    ///
    /// - Parameter entries: how many entries the body appends; nil to not check the number.
    func withLibrary(
        _ durability: Durability, appending entries: Int? = nil, _ body: (Library) async throws -> Void
    ) async throws -> Duration {
        try await folder.withFreshFolder { folder in
            let library = try await Library(folder + "/journal.db", durability: durability)
            try await library.append(payloads, transactions: 1, of: 1_000)
            let time = try await ContinuousClock().measure { try await body(library) }
            if let entries {
                try check(1_000 + entries, try library.journal.reader.stream(Library.streamName).headStep)
            }
            try await library.close()
            return time
        }
    }

    /// Measures a store on a fresh journal that already has some entries.
    ///
    /// - Parameters:
    ///   - end: the expected end; nil to not check it.
    func withStore(
        _ durability: Durability, snapshots: SnapshotPolicy = SnapshotPolicy(),
        expecting end: StoreLibrary.End? = nil, _ body: (StoreLibrary) async throws -> Void
    ) async throws -> Duration {
        try await folder.withFreshFolder { folder in
            let library = try await StoreLibrary(
                folder + "/journal.db", durability: durability, snapshots: snapshots)
            try await library.dispatch(transactions: 1, of: 1_000)
            let time = try await ContinuousClock().measure { try await body(library) }
            try await library.close(expecting: end)
            return time
        }
    }

    /// Passes the path of a closed journal with this many entries.
    func withFilledJournal<Value>(entries: Int, _ body: (String) async throws -> Value) async throws -> Value {
        try await folder.withFreshFolder { folder in
            let path = folder + "/journal.db"
            let library = try await Library(path, durability: .normal)
            try await library.append(payloads, transactions: entries / 1_000, of: 1_000)
            try await library.close()
            return try await body(path)
        }
    }

    /// Checks that the measured work was done.
    func check(_ expected: Int, _ found: Int) throws(BenchError) {
        guard found == expected else { throw BenchError(message: "There are \(found) entries instead of \(expected).") }
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}
