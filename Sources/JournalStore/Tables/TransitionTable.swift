/// A state machine as a list of rows: which input leads from which states to which state, and with which effect.
///
/// ```swift
/// let table: TransitionTable<Input, State, Void> = [
///     .login    | .loggedOut  => .loggingIn  | loginEffect,
///     .loginOK  | .loggingIn  => .loggedIn,
///     .logout   | .loggedIn   => .loggingOut | logoutEffect,
///     .logoutOK | .loggingOut => .loggedOut,
///     .forceLogout | canForceLogout => .loggingOut | logoutEffect,
/// ]
/// let machine = Machine("auth", initialState: .loggedOut, table: table)
/// ```
///
/// The first row that matches counts. An input that no row matches is rejected: its step stays in the journal as
/// rejected, starts nothing and interrupts nothing.
///
/// A row matches values by `==`, and never a value of another case. Predicates, functions of the state and effects must
/// be pure, like a reducer: every replay evaluates them again. Give a table's `let` its type: without it the compiler
/// cannot resolve `.login`.
public struct TransitionTable<Action: Sendable, State: Sendable, Environment>: Sendable {
    /// The rows; the first that matches counts.
    public let rows: [TransitionRow<Action, State, Environment>]

    /// Creates a table from its rows.
    public init(_ rows: [TransitionRow<Action, State, Environment>]) {
        self.rows = rows
    }

    /// One table of several: the first row that matches in the first table that has one counts.
    public static func reduce(_ tables: [TransitionTable]) -> TransitionTable {
        TransitionTable(tables.flatMap(\.rows))
    }

    /// One table of two: the rows of the left one come first.
    public static func + (left: TransitionTable, right: TransitionTable) -> TransitionTable {
        reduce([left, right])
    }

    /// The state after an input; nil if no row matches. No effect is made.
    public func next(_ input: Action, in state: State) -> State? {
        rows.first { $0.matches(input, state) }?.next(input, state)
    }
}

extension TransitionTable: ExpressibleByArrayLiteral {
    /// Creates a table from its rows.
    public init(arrayLiteral rows: TransitionRow<Action, State, Environment>...) {
        self.init(rows)
    }
}

// MARK: - With and without effects

extension TransitionTable {
    /// The same table without effects.
    public var withoutEffects: TransitionTable<Action, State, Void> {
        TransitionTable<Action, State, Void>(rows.map { $0.with(.none) })
    }

    /// The same table in a wider environment.
    public func contramap<Whole>(
        environment part: @escaping @Sendable (Whole) -> Environment
    ) -> TransitionTable<Action, State, Whole> {
        TransitionTable<Action, State, Whole>(rows.map { $0.contramap(environment: part) })
    }
}

extension TransitionTable where Environment == Void {
    /// The same table for an environment that it does not use, to combine it with tables whose effects do.
    public func withEnvironment<Whole>(_: Whole.Type = Whole.self) -> TransitionTable<Action, State, Whole> {
        contramap { _ in }
    }
}
