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
    ///   - states: the states for which ``any``, predicates and functions of the state are evaluated. Without them, a row
    ///     that names no state begins at a node with the name of its pattern.
    public func diagram(_ format: DiagramFormat, states: [State] = []) -> String {
        var text = DiagramText(format)
        for row in rows {
            for (from, to) in row.arrows(states) {
                text.add(from: from, to: to, label: row.label(from: from))
            }
        }
        return text.finished
    }
}

extension TransitionTable where State: CaseIterable {
    /// The table as the text of a diagram, with every state that a row leads from.
    ///
    /// - Parameter format: the language.
    public func diagram(_ format: DiagramFormat) -> String {
        diagram(format, states: Array(State.allCases))
    }
}

extension TransitionRow {
    fileprivate func arrows(_ states: [State]) -> [(from: String, to: String)] {
        let sources: [State]
        if case .values(let values) = state.kind { sources = values } else { sources = states.filter(state.test) }
        // Without a state to begin with, the pattern is drawn as one.
        if sources.isEmpty { return states.isEmpty ? [(state.description, targetText)] : [] }
        return sources.map { source in
            switch target {
            case .value(let next): ("\(source)", "\(next)")
            case .function(let next): ("\(source)", "\(next(source))")
            case .functionOfInput: ("\(source)", targetText)
            }
        }
    }

    /// The input, and the guards: a predicate of the state is one, unless the arrow begins at it.
    fileprivate func label(from: String) -> String {
        var parts = ["\(input)"]
        if let condition = state.guardText, condition != from { parts.append(condition) }
        return parts.joined(separator: " ")
    }
}
