extension CasePath {
    /// Makes a path of a case alone: `CasePath(Action.todo)`.
    ///
    /// Labels and several payloads are fine: `case move(from: Int, to: Int)` gives a tuple. To look inside, the value is
    /// reflected, which takes microseconds and not nanoseconds; ``init(embed:extract:)`` is for where that matters.
    /// Make a path once and keep it: it remembers its case after the first match, and then turns others away sooner.
    ///
    /// The function must be one case of an enum that takes its payload as it is. For a case of a case use
    /// ``appending(path:)``. These need ``init(embed:extract:)``, and never match here:
    /// - An enum that is `CustomReflectable`: it hides its cases. (`CustomStringConvertible` does no harm.)
    /// - A payload that is a function, or whose type is spelled with one: a mirror damages functions.
    ///
    /// If `Root` is an optional, the path may lead through it: `CasePath<Action?, Todo>(Action.todo)`. Where `Value` is
    /// what the optional wraps, it is always taken for `Optional.some`, which is wrong for a recursive case.
    ///
    /// - Parameter case: The case, without its payload.
    public init(_ case: @escaping @Sendable (Value) -> Root) {
        let reflected = ReflectedCase(`case`)
        self.init(embed: `case`, extract: { root in reflected.extract(from: root) })
    }

    /// Makes a path of a case that carries nothing: `CasePath(Action.reset)`.
    ///
    /// It matches what equals that value. Reflection shows nothing of a case without payload, so `Root` must be
    /// `Equatable`. This is also what keeps it apart from the other short form: no function is `Equatable`, so
    /// `CasePath(Action.todo)` cannot mean "the value that is this function".
    ///
    /// - Parameter root: The case.
    public init(_ root: Root) where Root: Equatable & Sendable, Value == Void {
        self.init(embed: { root }, extract: { $0 == root ? () : nil })
    }
}
