/// Makes a case path of a case.
prefix operator /

/// Makes a path of a case alone: `/Action.todo` is `CasePath(Action.todo)`.
///
/// If a second slash follows on the same line without a space before it, the compiler reads a regular expression: write
/// `f(/Action.a, /Action.b)`, not `f(/Action.a,/Action.b)`.
public prefix func / <Root, Value>(case: @escaping @Sendable (Value) -> Root) -> CasePath<Root, Value> {
    CasePath(`case`)
}

/// Makes a path of a case that carries nothing: `/Action.reset` is `CasePath(Action.reset)`.
public prefix func / <Root: Equatable & Sendable>(root: Root) -> CasePath<Root, Void> {
    CasePath(root)
}
