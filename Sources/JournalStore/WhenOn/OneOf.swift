/// Several states of a ``When``, or several events of an ``On``.
///
/// ```swift
/// OneOf {
///     State.closing(persons:)
///     State.closed
/// }
/// OneOf("nearly full", where: { $0.persons > 8 })
/// ```
public struct OneOf<Value: Equatable & Sendable>: Sendable {
    @usableFromInline let pattern: TransitionPattern<Value>
    @usableFromInline var matches: @Sendable (Value) -> Bool { pattern.test }

    /// Matches what one of the listed values, cases and other ``OneOf`` matches.
    public init(@OneOfBuilder<Value> _ list: () -> OneOf) {
        self = list()
    }

    /// Matches the values that meet a condition.
    ///
    /// - Parameters:
    ///   - name: the name in reviews.
    ///   - condition: the condition. It must be pure, because every replay evaluates it again.
    public init(_ name: String? = nil, where condition: @escaping @Sendable (Value) -> Bool) {
        pattern = .where(name, condition)
    }

    init(_ pattern: TransitionPattern<Value>) {
        self.pattern = pattern
    }
}

/// Builds a ``OneOf`` from values, constructors of cases, and other ``OneOf``.
@resultBuilder public enum OneOfBuilder<Value: Equatable & Sendable> {
    /// An equal value.
    public static func buildExpression(_ value: Value) -> OneOf<Value> {
        OneOf(.values([value]))
    }

    /// A case with any payload.
    public static func buildExpression<Payload>(
        _ constructor: @escaping @Sendable (Payload) -> Value
    ) -> OneOf<Value> {
        OneOf(.case(constructor))
    }

    /// What another one matches.
    public static func buildExpression(_ other: OneOf<Value>) -> OneOf<Value> {
        other
    }

    /// What one of the lines matches.
    public static func buildBlock(_ lines: OneOf<Value>...) -> OneOf<Value> {
        OneOf(.oneOf(lines.map(\.pattern)))
    }
}
