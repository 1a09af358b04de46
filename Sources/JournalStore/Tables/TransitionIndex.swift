/// Finds the first row that matches without trying all of them: for each case of the input and of the state it lists
/// the rows that can match.
final class TransitionIndex<Action: Sendable, State: Sendable, Environment>: Sendable {
    typealias Row = MatchedRow<Action, State, Environment>

    private let inputs: CaseColumns<Action>
    private let states: CaseColumns<State>
    /// The number of columns for states.
    private let width: Int
    /// The first row of each pair of columns; a row links to the next one.
    private let cells: [Candidate?]

    init(_ rows: [Row]) {
        let inputs = CaseColumns(rows.map(\.input))
        let states = CaseColumns(rows.map(\.state))
        (self.inputs, self.states, width) = (inputs, states, states.all.count)
        let cases = rows.map { (input: $0.input.cases, state: $0.state.cases) }
        cells = inputs.all.flatMap { input in
            states.all.map { state in
                zip(rows, cases).reversed().reduce(nil) { next, row in
                    let (row, cases) = row
                    guard cases.input?.contains(input) ?? true, cases.state?.contains(state) ?? true else {
                        return next
                    }
                    return Candidate(row, next)
                }
            }
        }
    }

    func firstRow(for input: Action, _ state: State) -> Row? {
        var candidate = cells[inputs.column(of: input) * width + states.column(of: state)]
        while let current = candidate {
            // `init` puts nothing but rows of this type into a candidate.
            let row = unsafeDowncast(current.item, to: Row.self)
            if row.matches(input, state) { return row }
            candidate = current.next
        }
        return nil
    }
}
