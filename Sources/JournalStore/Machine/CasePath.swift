/// The way from an enum to what one of its cases carries, and back.
///
/// What a key path is to a struct. A reducer written for a child's actions runs in its parent by one:
/// `todos.contramap(action: CasePath(AppAction.todos))`.
///
/// A path is a rule for values in memory. It has no name that lasts: nothing that is stored may be keyed by a case path.
public struct CasePath<Root, Value>: Sendable {
    private let embedding: @Sendable (Value) -> Root
    private let extraction: @Sendable (Root) -> Value?

    /// Makes a path of two functions: the fastest form, and right for every type.
    ///
    ///     CasePath(embed: Action.todo, extract: { if case .todo(let todo) = $0 { todo } else { nil } })
    ///
    /// - Parameters:
    ///   - embed: Makes the case of what it carries.
    ///   - extract: What the case carries, or `nil` for every other case. What was embedded must come out again.
    public init(embed: @escaping @Sendable (Value) -> Root, extract: @escaping @Sendable (Root) -> Value?) {
        embedding = embed
        extraction = extract
    }

    /// Makes the case of what it carries.
    public func embed(_ value: Value) -> Root {
        embedding(value)
    }

    /// Returns what the case carries, or `nil` if it is another case.
    ///
    /// Where the payload is itself an optional, the outer `nil` says another case: `.some(nil)` is this case with `nil`.
    public func extract(from root: Root) -> Value? {
        extraction(root)
    }

    /// Goes on from what this path leads to: the case of a case.
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
    /// The path that leads nowhere: the whole is what it carries, always.
    public static var identity: Self {
        Self(embed: { $0 }, extract: { $0 })
    }
}
