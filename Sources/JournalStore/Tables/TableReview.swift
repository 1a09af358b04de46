/// What a test should know about a ``TransitionTable`` or a ``StateMachine``: states that no input leads to, and rows
/// that never count.
///
/// ```swift
/// #expect(table.review(from: .loggedOut).isClean)
/// ```
public struct TableReview<State: Sendable>: Sendable {
    /// The listed states that the listed inputs never lead to from the initial state. Also empty if the search is given up:
    /// after two thousand states, or after more than thirty in a row that are not listed.
    public let unreachableStates: [State]
    /// The rows that match, but only where an earlier row matches too.
    public let shadowedRows: [TableReviewRow]
    /// The rows that match none of the listed inputs in any of the listed states.
    public let unmatchedRows: [TableReviewRow]

    /// Whether there is nothing to report. Also true if the search for ``unreachableStates`` was given up and nothing else
    /// was found.
    public var isClean: Bool { unreachableStates.isEmpty && shadowedRows.isEmpty && unmatchedRows.isEmpty }
}

/// A row that a ``TableReview`` reports.
public struct TableReviewRow: Hashable, Sendable, CustomStringConvertible {
    /// Its place in the table, from 0. In a ``StateMachine``, the place of its `When`.
    public let index: Int
    /// Its inputs, states and next state.
    public let text: String

    /// The row as failing tests print it.
    public var description: String { "row \(index): \(text)" }
}

extension TableReview where State: Equatable {
    /// How many states in a row are followed that are not listed. A payload can grow with each, until it overflows.
    private static var mostUnlisted: Int { 30 }

    /// Those of some states that the inputs do not lead to, also by way of states that are not listed. A function of the
    /// state can lead to new ones for ever: none is returned if not all states can be tried.
    static func unreachable<Action>(
        of states: [State], from initialState: State, by inputs: [Action], next: (Action, State) -> State?
    ) -> [State] {
        var reached = [initialState]
        /// For each of them, how many that are not listed lead to it from one that is.
        var unlisted = [0]
        var missing = states.filter { $0 != initialState }
        var index = 0
        while index < reached.count, !missing.isEmpty {
            if reached.count > 2_000 || unlisted[index] > mostUnlisted { return [] }
            for input in inputs {
                guard let next = next(input, reached[index]), !reached.contains(next) else { continue }
                reached.append(next)
                unlisted.append(states.contains(next) ? 0 : unlisted[index] + 1)
                missing.removeAll { $0 == next }
            }
            index += 1
        }
        return missing
    }
}

extension TableReview: CustomStringConvertible {
    /// A line for each finding.
    public var description: String {
        let lines =
            unreachableStates.map { "unreachable: \($0)" } + shadowedRows.map { "shadowed: \($0)" }
            + unmatchedRows.map { "matches nothing: \($0)" }
        return lines.joined(separator: "\n")
    }
}

extension TransitionTable where State: Equatable {
    /// Evaluates the table for every listed input in every listed state. No effect is made.
    ///
    /// - Parameters:
    ///   - initialState: where the machine begins.
    ///   - states: the states: all that a test cares about, since predicates cannot be enumerated.
    ///   - inputs: the inputs.
    public func review(from initialState: State, states: [State], inputs: [Action]) -> TableReview<State> {
        var (matching, counting): (Set<Int>, Set<Int>) = ([], [])
        for state in states {
            for input in inputs {
                let matches = rows.indices.filter { rows[$0].matches(input, state) }
                matching.formUnion(matches)
                if let first = matches.first { counting.insert(first) }
            }
        }
        let unreachable = TableReview.unreachable(of: states, from: initialState, by: inputs) { next($0, in: $1) }
        func lines(_ indices: some Sequence<Int>) -> [TableReviewRow] {
            indices.map { TableReviewRow(index: $0, text: rows[$0].description) }
        }
        return TableReview(
            unreachableStates: unreachable,
            shadowedRows: lines(matching.subtracting(counting).sorted()),
            unmatchedRows: lines(rows.indices.filter { !matching.contains($0) }))
    }
}

extension TransitionTable where State: Equatable & CaseIterable, Action: CaseIterable {
    /// Evaluates the table for every input in every state. No effect is made.
    ///
    /// - Parameter initialState: where the machine begins.
    public func review(from initialState: State) -> TableReview<State> {
        review(from: initialState, states: Array(State.allCases), inputs: Array(Action.allCases))
    }
}
