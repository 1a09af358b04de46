import Dispatch
import JournalStore

/// The live page that all connections share. The reader of the journal changes it; each connection gets what it has not
/// seen, in one batch, however slow it is.
final class LivePage: Sendable {
    private struct Shared {
        var data: LiveData
        var waiting: [Int: DispatchSemaphore] = [:]
        var number = 0
        /// Why the journal cannot be read at the moment.
        var problem: String?
        var isEnding = false
    }

    private let shared: Lock<Shared>
    /// The connections that get events.
    private let connections = DispatchGroup()

    init(_ redaction: Redaction) {
        shared = Lock(Shared(data: LiveData(redaction)))
    }

    func read<Value: Sendable>(_ body: (LiveData) throws -> Value) rethrows -> Value {
        try shared.withLock { try body($0.data) }
    }

    func apply(_ change: LiveChange) {
        shared.withLock { $0.data.apply(change) }
        wake()
    }

    /// Tells the pages that the journal cannot be read, or nil that it can be again.
    func set(problem: String?) {
        let isNew = shared.withLock { shared in
            defer { shared.problem = problem }
            return shared.problem != problem
        }
        if isNew { wake() }
    }

    /// Ends all streams of events, and waits until the pages have been told, but not for those that do not listen.
    func end(patience: DispatchTimeInterval = .milliseconds(500)) {
        shared.withLock { $0.isEnding = true }
        wake()
        _ = connections.wait(timeout: .now() + patience)
    }

    private func wake() {
        for semaphore in shared.withLock({ $0.waiting.values.map { $0 } }) { semaphore.signal() }
    }

    // MARK: Connections

    /// Registers a connection.
    func join(_ semaphore: DispatchSemaphore) -> Int {
        connections.enter()
        return shared.withLock { shared in
            shared.number += 1
            shared.waiting[shared.number] = semaphore
            return shared.number
        }
    }

    func leave(_ number: Int) {
        shared.withLock { $0.waiting[number] = nil }
        connections.leave()
    }

    /// What a connection sends next.
    enum News: Sendable {
        case nothing
        case batch(JSON, revision: Int)
        /// The page must be read again.
        case reload
        case problem(String?)
        case end
    }

    /// What is new for a connection.
    ///
    /// - Parameter problem: the problem that the connection knows of.
    func news(since revision: Int, knowing problem: String?) -> News {
        shared.withLock { shared in
            if shared.isEnding { return .end }
            if shared.problem != problem { return .problem(shared.problem) }
            if shared.data.revision == revision { return .nothing }
            guard let batch = shared.data.batch(since: revision) else { return .reload }
            return .batch(batch, revision: shared.data.revision)
        }
    }
}
