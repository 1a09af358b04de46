import JournalStore

// Effects use the environment in other threads.
final class Cache { var texts: [String: String] = [:] }

// error: type 'Cache' does not conform to the 'Sendable' protocol
let machine = Machine<LoadAction, Load, Cache>("load", initialState: Load()) { _, _, _ in .none }
