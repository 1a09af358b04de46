package import JournalStore

/// A machine whose timer sends an action that its next version does not know.
package enum RingingClock {
    package enum Before: Codable, Sendable, Equatable { case start, ring }
    package enum After: Codable, Sendable, Equatable { case start }

    package static let old = Machine<Before, Int, Void>("clock", initialState: 0) { action, count, _ in
        count += 1
        return action == .start ? .after(.seconds(3_600), .ring, name: "ring") : .none
    }

    package static let new = Machine<After, Int, Void>("clock", version: 2, initialState: 0) { count, _ in count += 1 }
        .unchanged(since: 1)
}
