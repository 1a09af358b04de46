extension Effect {
    /// Rejects an action because nothing in a list matches it.
    ///
    /// - Parameter line: what the list consists of.
    static func noMatch<State>(of line: String, _ action: Action, _ state: State) -> Effect {
        .reject("No \(line) for '\(StoredName.ofCase(action))' in the state '\(StoredName.ofCase(state))'.")
    }
}
