/// How many entries weigh as much as a state: the distance at which snapshots of the state cost no more than the
/// entries.
enum StateWeight {
    /// What an entry takes in the file besides its action, at least.
    static let entryBytes = 100

    /// The number of entries as long as a state, if their actions had no length.
    static func mostEntries(_ stateBytes: Int) -> Int {
        stateBytes / entryBytes
    }

    /// The number of entries as long as a state.
    ///
    /// - Parameters:
    ///   - actionBytes: the length of the actions of some entries.
    ///   - entries: how many they are.
    static func entries(_ stateBytes: Int, _ actionBytes: Int, in entries: Int) -> Int {
        guard entries > 0 else { return mostEntries(stateBytes) }
        return stateBytes / (entryBytes + max(0, actionBytes) / entries)
    }

    static func clamp(_ distance: Int, to steps: ClosedRange<Int>) -> Int {
        min(max(distance, steps.lowerBound), steps.upperBound)
    }
}
