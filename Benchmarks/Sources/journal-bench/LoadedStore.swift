import JournalStore

/// A state of a given size.
struct LoadedState: Codable, Sendable {
    var sum = 0
    var items: [String]

    /// - Parameter bytes: the approximate length of its JSON.
    init(bytes: Int) {
        items = (0..<bytes / 50).map { number in
            let digits = String(number)
            return String(repeating: "0", count: 10 - digits.count) + digits + " of the things in a cart, as text"
        }
    }

    static func machine(bytes: Int) -> Machine<BenchAction, LoadedState, Void> {
        Machine("loaded", initialState: LoadedState(bytes: bytes)) { action, state, _ in
            if case .add(let count, _) = action { state.sum &+= count }
            return .none
        }
    }
}

/// A store of such a state; each step changes a small part of it.
struct LoadedStore: Sendable {
    let journal: Journal
    let store: Store<BenchAction, LoadedState>
    private let failures = Failures()

    @concurrent
    init(_ path: String, stateBytes: Int, snapshots: SnapshotPolicy) async throws {
        var options = Journal.Options()
        options.durability = .normal
        options.snapshots = snapshots
        options.report = { [failures] notice in
            if notice.kind == .snapshotFailed { failures.add(notice.description) }
        }
        journal = try Journal(path: path, options: options)
        store = try await journal.open(LoadedState.machine(bytes: stateBytes), stream: Library.streamName)
        try await store.dispatch(contentsOf: (0..<1_000).map { StoreLibrary.action($0) })
    }

    /// - Parameters:
    ///   - end: the expected end.
    ///   - hasSnapshots: whether there must be snapshots, or must be none.
    @concurrent
    func close(expecting end: StoreLibrary.End, hasSnapshots: Bool) async throws {
        try await store.close()
        let steps = try journal.reader.stream(Library.streamName).headStep
        try end.check(StoreLibrary.End(steps: steps, sum: store.state.sum))
        let snapshots = try journal.reader.snapshotSteps(in: Library.streamName)
        // A snapshot of the first 1,000 steps, which every store begins with, does not count.
        let isAsWanted = hasSnapshots ? (snapshots.last ?? 0) > 1_000 : snapshots.isEmpty
        guard isAsWanted, failures.all.isEmpty else {
            throw BenchError(message: "There are snapshots of the steps \(snapshots). \(failures.all.first ?? "")")
        }
        try await journal.close()
    }
}
