/// How much a debugging observer prints of a step.
public struct DebugFormat: Hashable, Sendable {
    private enum Kind { case simple, all, diff }

    private let kind: Kind

    /// One line: the step, its origin, and the case of the action.
    public static let simple = DebugFormat(kind: .simple)
    /// The whole action, and the whole state after it.
    public static let all = DebugFormat(kind: .all)
    /// The whole action, and the changes of the state.
    public static let diff = DebugFormat(kind: .diff)

    func text<Action, State>(of transition: Transition<Action, State>, name: String?) -> String {
        let title = [name, "step \(transition.step)", "\(transition.origin)"].compactMap(\.self).joined(separator: ", ")
        let rejection = transition.rejection.map { $0.isEmpty ? " (rejected)" : " (rejected: \($0))" }
        let refusal = rejection ?? (transition.isSkipped ? " (skipped)" : "")
        if kind == .simple { return "\(title): \(StoredName.ofCase(transition.action))\(refusal)" }
        var lines = ["\(title): \(ValueDescription(of: transition.action))\(refusal)"]
        lines += transition.cascade.map { "  .next(\(ValueDescription(of: $0)))" }
        if kind == .all {
            lines.append(indented("state: \(ValueDescription(of: transition.after))"))
        } else {
            let diff = ValueDiff(from: transition.before, to: transition.after)
            lines.append(diff.isEmpty ? "  (state unchanged)" : indented(diff.description))
        }
        return lines.joined(separator: "\n")
    }

    private func indented(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { "  " + $0 }.joined(separator: "\n")
    }
}

extension Observer {
    /// Prints each step: the action, and the state or its changes.
    ///
    /// - Parameters:
    ///   - name: the name to print for the machine, if any.
    ///   - format: how much to print.
    ///   - output: called with the text; by default prints it to the standard output.
    public static func debug(
        _ name: String? = nil, format: DebugFormat = .diff,
        to output: @escaping @Sendable (String) -> Void = { print($0) }
    ) -> Observer {
        Observer { output(format.text(of: $0, name: name)) }
    }
}
