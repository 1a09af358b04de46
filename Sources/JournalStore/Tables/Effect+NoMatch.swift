extension Effect {
    /// Rejects an action because nothing in a list matches it.
    ///
    /// - Parameter line: what the list consists of.
    static func noMatch<State>(of line: String, _ action: Action, _ state: State) -> Effect {
        .reject("No \(line) for '\(StoredName.ofCase(action))' in the state '\(StoredName.ofCase(state))'.")
    }
}

extension Reduction.Outcome {
    /// Whether the reason of a rejection is the recorded one. Version 0.1.0 named some cases in ``Effect/noMatch(of:_:_:)``
    /// after their type, such as `Shop.State`.
    static func isSame(_ recorded: String, as reason: String) -> Bool {
        if recorded == reason { return true }
        guard let old = parts(of: recorded), let new = parts(of: reason), old[0] == new[0] else { return false }
        return zip(old, new).allSatisfy { $0 == $1 || isType($0) }
    }

    /// What the list consists of, the action and the state.
    private static func parts(of reason: String) -> [Substring]? {
        guard reason.hasPrefix("No "), reason.hasSuffix("'."), let first = reason.firstRange(of: " for '"),
            let second = reason.firstRange(of: "' in the state '"), first.upperBound <= second.lowerBound
        else { return nil }
        return [
            reason[..<first.lowerBound], reason[first.upperBound..<second.lowerBound],
            reason[second.upperBound...].dropLast(2),
        ]
    }

    /// Whether it is the name of a type: the name of a case does not begin in upper case.
    private static func isType(_ name: Substring) -> Bool {
        let parts = name.split(separator: ".")
        return parts.count > 1 && parts.last?.first?.isUppercase == true
    }
}
