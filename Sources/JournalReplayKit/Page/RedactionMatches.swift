import JournalStore

/// The paths of a redaction that have matched something. Those that match nothing are probably mistyped.
final class RedactionMatches: Sendable {
    private let found = Lock<Set<StatePath>>([])

    func add(_ path: StatePath) {
        found.withLock { _ = $0.insert(path) }
    }

    func contain(_ path: StatePath) -> Bool {
        found.withLock { $0.contains(path) }
    }
}
