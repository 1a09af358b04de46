import JournalStore

/// What every row is measured with.
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

    /// So much, or a tenth of it.
    func scaled(_ count: Int) -> Int { isQuick ? max(1, count / 10) : count }

    /// Measures the floor and the library in turn, each on fresh files of its own. What else the machine does hits both
    /// of a round alike, so the ratio is steadier than the rates. Who comes first changes from round to round.
    func compare(
        entries: Int, floor: () async throws -> Duration, library: () async throws -> Duration
    ) async throws -> Finding {
        var rates: [(library: Double, floor: Double)] = []
        for round in 0..<rounds {
            let first = round.isMultiple(of: 2) ? try await floor() : nil
            let measured = try await library()
            let reference = if let first { first } else { try await floor() }
            rates.append((Double(entries) / measured.inSeconds, Double(entries) / reference.inSeconds))
        }
        return .comparison(
            library: Spread(rates.map(\.library)), floor: Spread(rates.map(\.floor)),
            ratio: Spread(rates.map { $0.library / $0.floor }))
    }

    /// A time that has no floor.
    func time(_ body: () async throws -> Duration) async throws -> Finding {
        var times: [Double] = []
        for _ in 0..<rounds { times.append(try await body().inSeconds) }
        return .time(Spread(times))
    }

    /// The floor on a fresh database that has some entries already, as the library's: neither is measured while it
    /// prepares its statements.
    func withFloor(
        _ durability: Durability, _ body: (borrowing Floor) throws -> Void
    ) async throws -> Duration {
        try await folder.withFreshFolder { folder in
            let floor = try Floor(making: folder + "/floor.db", schema: schema, durability: durability)
            try floor.append(payloads, transactions: 1, of: 1_000)
            return try ContinuousClock().measure { try body(floor) }
        }
    }

    /// The library on a fresh journal that has some entries already.
    func withLibrary(
        _ durability: Durability, _ body: (Library) async throws -> Void
    ) async throws -> Duration {
        try await folder.withFreshFolder { folder in
            let library = try await Library(folder + "/journal.db", durability: durability)
            try await library.append(payloads, transactions: 1, of: 1_000)
            let time = try await ContinuousClock().measure { try await body(library) }
            try await library.close()
            return time
        }
    }

    /// A store on a fresh journal that has some entries already.
    func withStore(
        _ durability: Durability, _ body: (StoreLibrary) async throws -> Void
    ) async throws -> Duration {
        try await folder.withFreshFolder { folder in
            let library = try await StoreLibrary(folder + "/journal.db", durability: durability)
            try await library.dispatch(transactions: 1, of: 1_000)
            let time = try await ContinuousClock().measure { try await body(library) }
            try await library.close()
            return time
        }
    }

    /// Lends the path of a journal that holds so many entries and is closed.
    func withFilledJournal<Value>(entries: Int, _ body: (String) async throws -> Value) async throws -> Value {
        try await folder.withFreshFolder { folder in
            let path = folder + "/journal.db"
            let library = try await Library(path, durability: .normal)
            try await library.append(payloads, transactions: entries / 1_000, of: 1_000)
            try await library.close()
            return try await body(path)
        }
    }
}

extension Duration {
    fileprivate var inSeconds: Double { self / .seconds(1) }
}
