import Synchronization

/// Collects failures of background work.
final class Failures: Sendable {
    private let texts = Mutex<[String]>([])

    func add(_ text: String) {
        texts.withLock { $0.append(text) }
    }

    var all: [String] { texts.withLock { $0 } }
}
