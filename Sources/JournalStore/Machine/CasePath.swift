/// Converts between an enum and the payload of one of its cases.
///
/// It is to enums what a key path is to structs. With it, a reducer for a child's actions runs in its parent:
/// `todos.contramap(action: CasePath(AppAction.todos))`.
///
/// A path works on values in memory only. It has no stable name: do not use a case path as a key in stored data.
public struct CasePath<Root, Value>: Sendable {
    private let embedding: @Sendable (Value) -> Root
    private let extraction: @Sendable (Root) -> Value?

    /// Creates a path from two functions: the fastest form, and correct for every type.
    ///
    ///     CasePath(embed: Action.todo, extract: { if case .todo(let todo) = $0 { todo } else { nil } })
    ///
    /// - Parameters:
    ///   - embed: Wraps a payload in the case.
    ///   - extract: Returns the payload, or `nil` for every other case. It must return what `embed` wrapped.
    public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        embedding = embed
        extraction = extract
    }

    /// Wraps a payload in the case.
    public func embed(_ value: Value) -> Root {
        embedding(value)
    }

    /// Returns the payload of the case, or `nil` if the value is another case.
    ///
    /// If the payload is itself an optional, the outer `nil` means another case: `.some(nil)` is this case with `nil`.
    public func extract(from root: Root) -> Value? {
        extraction(root)
    }

    /// Appends a path to this one: the case of a case.
    ///
    ///     CasePath(AppAction.todos).appending(path: CasePath(TodosAction.add))
    public func appending<Leaf>(path: CasePath<Value, Leaf>) -> CasePath<Root, Leaf> {
        CasePath<Root, Leaf>(
            embed: { leaf in embed(path.embed(leaf)) },
            extract: { root in extract(from: root).flatMap { value in path.extract(from: value) } }
        )
    }
}

extension CasePath where Root == Value {
    /// The path from a value to itself, which always matches.
    public static var identity: Self { Self(embed: { $0 }, extract: { $0 }) }
}
