import JournalStore

/// What takes memory in a process, for a measurement in a process of its own.
enum Held: String {
    case openStores, hostedStores, closedStores, liveEffects

    /// - Returns: the peak of the process before anything is closed.
    func hold(_ count: Int) async throws -> Int {
        let folder = try TemporaryFolder(in: nil)
        defer { folder.remove() }
        var options = Journal.Options()
        options.durability = .normal
        options.snapshots = .never
        if self == .hostedStores {
            let streams = try await HostedStreams(folder.path + "/journal.db", open: .max)
            try await streams.dispatch(to: 0..<count, tasks: 1)
            let peak = Memory.peakBytes
            try await streams.journal.close()
            return peak
        }
        let journal = try Journal(path: folder.path + "/journal.db", options: options)
        var stores: [Store<BenchAction, BenchState>] = []
        for number in 0..<(self == .liveEffects ? 1 : count) {
            let store = try await journal.open(StoreLibrary.machine, stream: "stream-\(number)")
            try await store.dispatch(StoreLibrary.action(number))
            if self == .closedStores { try await store.close() } else { stores.append(store) }
        }
        if self == .liveEffects {
            try await stores[0].dispatch(contentsOf: Array(repeating: .wait, count: count))
            try await stores[0].flush()
        }
        let peak = Memory.peakBytes
        try await journal.close()
        return peak
    }
}
