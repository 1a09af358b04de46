/// Creates a case path from a case.
prefix operator /

/// Creates a path from a case constructor: `/Action.todo` is `CasePath(Action.todo)`.
///
/// If a second slash follows on the same line without a space before it, the compiler reads a regular expression: write
/// `f(/Action.a, /Action.b)`, not `f(/Action.a,/Action.b)`.
public prefix func / <Root, Value>(case: @escaping @Sendable (Value) -> Root) -> CasePath<Root, Value> {
    CasePath(`case`)
}

/// Creates a path from a case without payload: `/Action.reset` is `CasePath(Action.reset)`.
public prefix func / <Root: Equatable & Sendable>(root: Root) -> CasePath<Root, Void> {
    CasePath(root)
}
