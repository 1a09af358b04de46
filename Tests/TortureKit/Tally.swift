package import JournalStore

/// The state of a machine that counts.
package struct Tally: Codable, Sendable, Equatable { package var count = 0 }

/// The same with a property that ``Tally`` does not have, and no default for it when it is decoded.
package struct CappedTally: Codable, Sendable, Equatable {
    package var count = 0
    package var cap = 9

    package init(count: Int = 0) { self.count = count }
}

package let tally = Machine<Int, Tally, Void>("tally", initialState: Tally()) { state, number in
    state.count += number
}

/// A version of it that cannot read the older states.
package let cappedTally = Machine<Int, CappedTally, Void>("tally", version: 2, initialState: CappedTally()) {
    state, number in
    state.count += number
}
.unchanged(since: 1)

/// Makes streams of two steps, with a snapshot of each.
package func keepTally(in journal: Journal, _ streams: [String]) async throws {
    for name in streams {
        for _ in 1...2 {
            let store = try await journal.open(tally, stream: name)
            try await store.dispatch(1)
            try await store.close()
        }
    }
    try await journal.close()
}
