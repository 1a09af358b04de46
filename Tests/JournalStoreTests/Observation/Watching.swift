import Observation

/// Counts the changes of what a function reads, as a view would be redrawn.
@MainActor final class Watching {
    private(set) var changes = 0
    /// Called at each change, before the value has changed.
    var onChange: () -> Void = {}
    private let read: () -> Void
    private var waiting: CheckedContinuation<Void, Never>?

    init(_ read: @escaping () -> Void) {
        self.read = read
        watch()
    }

    private func watch() {
        withObservationTracking(read) { [weak self] in
            // Mirrors change on the main actor only.
            MainActor.assumeIsolated { self?.changed() }
        }
    }

    private func changed() {
        changes += 1
        onChange()
        waiting?.resume()
        waiting = nil
        watch()
    }

    /// Waits until there were this many changes.
    func changes(_ count: Int) async {
        while changes < count { await withCheckedContinuation { waiting = $0 } }
    }
}
