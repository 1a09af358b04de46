/// The format of a table's diagram.
public struct DiagramFormat: Hashable, Sendable {
    enum Syntax { case mermaid, graphviz }

    let syntax: Syntax

    /// A Mermaid state diagram.
    public static let mermaid = DiagramFormat(syntax: .mermaid)
    /// A directed graph in the language of Graphviz.
    public static let graphviz = DiagramFormat(syntax: .graphviz)
}

extension TransitionTable {
    /// The table as the text of a diagram: an arrow for each row, with its input and its guards.
    ///
    /// - Parameters:
    ///   - format: the language.
    ///   - states: the states for which ``any``, predicates and functions of the state are evaluated. Without them, a
    ///     row that names no state begins at a node with the name of its pattern.
    ///   - inputs: the inputs for which the next state of a row with ``TransitionRow/on(_:_:from:to:effect:)`` is
    ///     evaluated. Without one that the row matches, it leads to a node `[function]`.
    public func diagram(_ format: DiagramFormat, states: [State] = [], inputs: [Action] = []) -> String {
        var text = DiagramText(format)
        for row in rows {
            for (from, to) in row.arrows(states, inputs) {
                text.add(from: from, to: to, label: row.label(from: from))
            }
        }
        return text.finished
    }
}

extension TransitionTable where State: CaseIterable {
    /// The table as the text of a diagram, with every state that a row leads from.
    ///
    /// - Parameters:
    ///   - format: the language.
    ///   - inputs: as in ``diagram(_:states:inputs:)``.
    public func diagram(_ format: DiagramFormat, inputs: [Action] = []) -> String {
        diagram(format, states: Array(State.allCases), inputs: inputs)
    }
}

extension TransitionRow {
    fileprivate func arrows(_ states: [State], _ inputs: [Action]) -> [(from: String, to: String)] {
        let sources: [State]
        if case .values(let values) = state.kind { sources = values } else { sources = states.filter(state.test) }
        // Without a state to begin with, the pattern is drawn as one.
        if sources.isEmpty { return states.isEmpty ? [(state.description, targetText)] : [] }
        return sources.flatMap { source in
            let targets =
                switch target {
                case .value(let next): ["\(next)"]
                case .function(let next): ["\(next(source))"]
                case .functionOfInput(let next): inputs.filter(input.test).map { "\(next($0, source))" }
                }
            return (targets.isEmpty ? [targetText] : targets).map { ("\(source)", $0) }
        }
    }

    /// The input, and the guards: a predicate of the state is one, unless the arrow begins at it.
    fileprivate func label(from: String) -> String {
        var parts = ["\(input)"]
        if let condition = state.guardText, condition != from { parts.append(condition) }
        return parts.joined(separator: " ")
    }
}
