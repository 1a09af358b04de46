extension CasePath {
    /// Creates a path from a case constructor: `CasePath(Action.todo)`.
    ///
    /// Labels and several payloads are supported: `case move(from: Int, to: Int)` gives a tuple. Extraction uses
    /// reflection, which takes microseconds; use ``init(embed:extract:)`` if nanoseconds matter. Create a path once and
    /// keep it: after its first match it knows its case and rejects other cases sooner.
    ///
    /// The function must be one case of an enum and pass its payload on unchanged. For a nested case use
    /// ``appending(path:)``. The following need ``init(embed:extract:)``, and never match here:
    /// - An enum that is `CustomReflectable`, because it hides its cases. (`CustomStringConvertible` does not matter.)
    /// - A payload that is a function, or whose type name contains one: a mirror damages functions.
    ///
    /// If `Root` is an optional, the path may lead through it: `CasePath<Action?, Todo>(Action.todo)`. If `Value` is
    /// the type that the optional wraps, the path always means `Optional.some`, which is wrong for a recursive case.
    ///
    /// - Parameter case: The case constructor.
    public init(_ case: @escaping @Sendable (Value) -> Root) {
        let reflected = ReflectedCase(`case`)
        self.init(embed: `case`, extract: { root in reflected.extract(from: root) })
    }

    /// Creates a path from a case without payload: `CasePath(Action.reset)`.
    ///
    /// It matches values equal to that case. Reflection cannot identify a case without payload, so `Root` must be
    /// `Equatable`. This also distinguishes the two initializers: no function is `Equatable`, so
    /// `CasePath(Action.todo)` cannot mean "the value that is this function".
    ///
    /// - Parameter root: The case.
    public init(_ root: Root) where Root: Equatable & Sendable, Value == Void {
        self.init(embed: { root }, extract: { $0 == root ? () : nil })
    }
}
