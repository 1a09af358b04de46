import Synchronization

/// A function that a store calls after each new step, in order, outside of the reducer.
struct Middleware<Action: Sendable, State: Sendable>: Sendable {
    let call: @concurrent @Sendable (Transition<Action, State>) async throws -> Void
}

/// A call of a store's middleware. Its tasks know it: whatever waits for the middleware must not be waited for there.
final class MiddlewareCall: Sendable {
    @TaskLocal static var current: MiddlewareCall?

    /// The engine of the store whose middleware is called; nil if the call has returned. The middleware does not wait
    /// for a task that it started in an earlier call.
    private static var underWay: MiddlewareCall? {
        guard let current, !current.hasReturned.load(ordering: .relaxed) else { return nil }
        return current
    }

    static var store: ObjectIdentifier? { underWay?.store }

    /// Whether this is a call for a store of a journal. Middleware of another journal's stores can wait for this one.
    static func isOfStore(in journal: ObjectIdentifier) -> Bool { underWay?.journal == journal }

    /// Whether this is a call for a stream whose store has ended. The stream is opened again when the call has returned,
    /// so the call must not wait for that.
    static func isOfEndedStore(of stream: String, in journal: ObjectIdentifier) -> Bool {
        guard let underWay, underWay.stream == ByteName(stream), isOfStore(in: journal) else { return false }
        return underWay.hasEnded()
    }

    /// Calls a function of the app that the middleware has not called, on its thread: tasks that it starts may wait.
    static func outside(_ body: () -> Void) {
        if current == nil { body() } else { $current.withValue(nil, operation: body) }
    }

    private let journal: ObjectIdentifier
    private let store: ObjectIdentifier
    private let stream: ByteName
    private let hasEnded: @Sendable () -> Bool
    private let hasReturned = Atomic(false)

    private init(
        _ journal: ObjectIdentifier, _ store: ObjectIdentifier, _ stream: ByteName,
        _ hasEnded: @escaping @Sendable () -> Bool
    ) {
        self.journal = journal
        self.store = store
        self.stream = stream
        self.hasEnded = hasEnded
    }

    /// Calls a function of the middleware of a store.
    ///
    /// - Parameter hasEnded: whether the store has ended.
    static func of(
        _ store: ObjectIdentifier, in journal: ObjectIdentifier, stream: String,
        hasEnded: @escaping @Sendable () -> Bool,
        _ function: @concurrent () async throws -> Void
    ) async throws {
        let call = MiddlewareCall(journal, store, ByteName(stream), hasEnded)
        defer { call.hasReturned.store(true, ordering: .relaxed) }
        try await $current.withValue(call) { try await function() }
    }
}

extension JournalOptions {
    /// Starts a task that still knows by which middleware it was started, as a task of its own otherwise would not.
    func spawnInMiddlewareCall(_ body: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        guard let call = MiddlewareCall.current else { return spawn(body) }
        return spawn { await MiddlewareCall.$current.withValue(call) { await body() } }
    }
}
