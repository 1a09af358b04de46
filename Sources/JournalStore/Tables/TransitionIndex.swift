/// Finds the first row that matches without trying all of them: for each case of the input and of the state it lists the
/// rows that can match.
///
/// The columns are the cases that rows name by a value, and one for all others. A type that is not an enum has one column.
final class TransitionIndex<Action: Sendable, State: Sendable, Environment>: Sendable {
    typealias Row = MatchedRow<Action, State, Environment>

    private let inputs: EnumTag<Action>?
    private let states: EnumTag<State>?
    private let otherInput: Int
    private let otherState: Int
    /// The first row of each pair of columns; a row links to the next one.
    private let cells: [Candidate<Row>?]

    init(_ rows: [Row]) {
        let (inputs, states) = (EnumTag<Action>(), EnumTag<State>())
        (self.inputs, self.states) = (inputs, states)
        let otherInput = rows.compactMap { $0.input.tags(inputs)?.max() }.max().map { $0 + 1 } ?? 0
        let otherState = rows.compactMap { $0.state.tags(states)?.max() }.max().map { $0 + 1 } ?? 0
        (self.otherInput, self.otherState) = (otherInput, otherState)
        var cells: [Candidate<Row>?] = []
        for input in 0...otherInput {
            for state in 0...otherState {
                cells.append(
                    rows.reversed().reduce(nil) { next, row in
                        guard row.input.tags(inputs)?.contains(input) ?? true,
                            row.state.tags(states)?.contains(state) ?? true
                        else { return next }
                        return Candidate(row, next)
                    })
            }
        }
        self.cells = cells
    }

    func firstRow(for input: Action, _ state: State) -> Row? {
        let column = inputs.map { min($0.of(input), otherInput) } ?? 0
        let line = states.map { min($0.of(state), otherState) } ?? 0
        var candidate = cells[column * (otherState + 1) + line]
        while let current = candidate {
            if current.row.matches(input, state) { return current.row }
            candidate = current.next
        }
        return nil
    }
}

/// A row of a cell, and the next one. A chain of objects: arrays of a type that depends on the machine are slow.
private final class Candidate<Row: Sendable>: Sendable {
    let row: Row
    let next: Candidate?

    init(_ row: Row, _ next: Candidate?) {
        (self.row, self.next) = (row, next)
    }
}

extension TransitionPattern {
    /// The tags of the cases whose values can match; nil if all can.
    fileprivate func tags(_ tag: EnumTag<Value>?) -> [Int]? {
        guard let tag, case .values(let values) = kind else { return nil }
        return values.map { tag.of($0) }
    }
}
