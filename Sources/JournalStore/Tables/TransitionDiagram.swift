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
    /// The table as the text of a diagram: an arrow for each row, with its input and its guards. Where earlier rows take
    /// all that a row matches, it has no arrow.
    ///
    /// - Parameters:
    ///   - format: the language.
    ///   - states: the states for which ``any``, predicates and functions of the state are evaluated. Without them, a
    ///     row that names no state begins at a node with the name of its pattern.
    ///   - inputs: the inputs for which the next state of a row with ``TransitionRow/on(_:_:from:to:effect:)`` is
    ///     evaluated. Without one that the row matches, it leads to a node `[function]`.
    public func diagram(_ format: DiagramFormat, states: [State] = [], inputs: [Action] = []) -> String {
        var text = DiagramText(format)
        for (index, row) in rows.enumerated() {
            for arrow in row.arrows(states, inputs, after: rows[..<index]) {
                text.add(from: arrow.from, to: arrow.to, label: row.label(arrow.inputs, from: arrow.from))
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
    fileprivate typealias Arrow = (from: String, to: String, inputs: String)

    /// The arrows of the row, without the inputs that earlier rows take.
    ///
    /// - Parameter earlier: the rows that are tried before this one.
    fileprivate func arrows(
        _ states: [State], _ inputs: [Action], after earlier: ArraySlice<TransitionRow>
    ) -> [Arrow] {
        let sources: [State]
        if case .values(let values) = state.kind { sources = values } else { sources = states.filter(state.test) }
        // Without a state to begin with, the pattern is drawn as one.
        if sources.isEmpty { return states.isEmpty ? [(state.description, targetText, input.description)] : [] }
        return sources.flatMap { source -> [Arrow] in
            let earlier = earlier.filter { $0.state.test(source) }
            if earlier.contains(where: \.takesEveryInput) { return [] }
            func isFree(_ input: Action) -> Bool { !earlier.contains { $0.input.test(input) } }
            var text = input.description
            if case .values(let values) = input.kind {
                let free = values.filter(isFree)
                if free.isEmpty { return [] }
                text = TransitionPattern<Action>.text(of: free)
            }
            let targets: [String]
            switch target {
            case .value(let next): targets = ["\(next)"]
            case .function(let next): targets = ["\(next(source))"]
            case .functionOfInput(let next):
                let matching = inputs.filter(input.test)
                targets = matching.isEmpty ? [targetText] : matching.filter(isFree).map { "\(next($0, source))" }
            }
            return targets.map { ("\(source)", $0, text) }
        }
    }

    private var takesEveryInput: Bool { if case .any = input.kind { true } else { false } }

    /// The inputs, and the guards: a predicate of the state is one, unless the arrow begins at it.
    fileprivate func label(_ inputs: String, from: String) -> String {
        var parts = [inputs]
        if let condition = state.guardText, condition != from { parts.append(condition) }
        return parts.joined(separator: " ")
    }
}
