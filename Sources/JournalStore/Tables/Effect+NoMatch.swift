extension Effect {
    /// Rejects an action because nothing in a list matches it.
    ///
    /// - Parameter line: what the list consists of.
    static func noMatch<State>(of line: String, _ action: Action, _ state: State) -> Effect {
        .reject("No \(line) for '\(StoredName.ofCase(action))' in the state '\(StoredName.ofCase(state))'.")
    }
}

extension Reduction.Outcome {
    /// Whether two reasons of a rejection are the same. Version 0.1.0 gave some cases other names, so of the reasons of
    /// ``Effect/noMatch(of:_:_:)`` only the beginning is compared.
    static func isSame(_ reason: String, as other: String) -> Bool {
        func line(_ reason: String) -> Substring? {
            guard reason.hasPrefix("No "), reason.hasSuffix("'."), reason.contains("' in the state '") else {
                return nil
            }
            return reason.firstRange(of: " for '").map { reason[..<$0.lowerBound] }
        }
        if reason == other { return true }
        return line(reason).map { $0 == line(other) } ?? false
    }
}
