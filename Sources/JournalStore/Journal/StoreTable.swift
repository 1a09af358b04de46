/// The open stores of a journal, the streams that stores are opening or closing, and who waits for those.
struct StoreTable: Sendable {
    /// Called when what it waits for has happened.
    typealias Waiter = @Sendable () -> Void

    private struct Change: Sendable {
        var openings = 0
        var releases = 0
        var waiters: [(isForOpenings: Bool, call: Waiter)] = []

        /// Takes those that have nothing left to wait for.
        mutating func takeWaiters() -> [Waiter] {
            if releases > 0 { return [] }
            let ready = waiters.filter { openings == 0 || !$0.isForOpenings }
            waiters.removeAll { openings == 0 || !$0.isForOpenings }
            return ready.map(\.call)
        }
    }

    private(set) var byStream: [StreamID: WeakStore] = [:]
    private var changes: [ByteName: Change] = [:]
    private var releases = 0
    private var waitersForAll: [Waiter] = []
    /// The journal is being closed, or was.
    private(set) var isClosed = false

    /// Whether a store is opening or closing the stream.
    func isChanging(_ stream: String) -> Bool { changes[ByteName(stream)] != nil }

    /// Whether a store is closing the stream.
    func isLeaving(_ stream: String) -> Bool { changes[ByteName(stream)].map { $0.releases > 0 } ?? false }

    /// The stores that are open.
    var open: [any OpenStore] { byStream.values.compactMap(\.store) }

    /// Ends the table. Returns the stores that are open.
    mutating func close() -> [WeakStore] {
        isClosed = true
        defer { byStream = [:] }
        return Array(byStream.values)
    }

    mutating func remove(_ stream: StreamID) { byStream[stream] = nil }

    // MARK: Changes

    mutating func beginOpening(of stream: String) { changes[ByteName(stream), default: Change()].openings += 1 }

    /// - Parameter store: the store that has the stream from now on; nil if the opening has failed.
    /// - Returns: the waiters to call.
    mutating func endOpening(of stream: String, _ id: StreamID? = nil, _ store: (any OpenStore)? = nil) -> [Waiter] {
        if let id, let store { byStream[id] = WeakStore(store) }
        return change(stream) { $0.openings -= 1 }
    }

    /// A store that was closed or released still has the stream.
    mutating func beginRelease(of stream: String) {
        releases += 1
        changes[ByteName(stream), default: Change()].releases += 1
    }

    /// - Returns: the waiters to call.
    mutating func endRelease(of stream: String) -> [Waiter] {
        releases -= 1
        let waiters = change(stream) { $0.releases -= 1 }
        guard releases == 0 else { return waiters }
        defer { waitersForAll = [] }
        return waiters + waitersForAll
    }

    private mutating func change(_ stream: String, _ body: (inout Change) -> Void) -> [Waiter] {
        let key = ByteName(stream)
        guard var change = changes[key] else { return [] }
        body(&change)
        let waiters = change.takeWaiters()
        changes[key] = change.openings == 0 && change.releases == 0 ? nil : change
        return waiters
    }

    // MARK: Waiting

    /// Calls back when no released store has the stream any more.
    ///
    /// - Parameter opening: whether to wait for openings too.
    /// - Returns: false if there is nothing to wait for.
    mutating func wait(for stream: String, opening: Bool, _ waiter: @escaping Waiter) -> Bool {
        guard var change = changes[ByteName(stream)], change.releases > 0 || opening else { return false }
        change.waiters.append((opening, waiter))
        changes[ByteName(stream)] = change
        return true
    }

    /// Calls back when no released store has any stream any more.
    ///
    /// - Returns: false if there is nothing to wait for.
    mutating func waitForReleases(_ waiter: @escaping Waiter) -> Bool {
        if hasReleases { waitersForAll.append(waiter) }
        return hasReleases
    }

    var hasReleases: Bool { releases > 0 }
}
