/// Comparisons of two values whose type is only known at run time.
package enum ValueEquality {
    /// The result of the type's own `==`; nil if it has none.
    package static func areEqual(_ old: Any, _ new: Any) -> Bool? {
        (old as? any Equatable).flatMap { areEqual($0, new) }
    }

    private static func areEqual<Value: Equatable>(_ old: Value, _ new: Any) -> Bool? {
        (new as? Value).map { old == $0 }
    }

    /// Whether both are NaN, which is not equal to itself.
    static func areNaN(_ old: Any, _ new: Any) -> Bool {
        isNaN(old) && isNaN(new)
    }

    private static func isNaN(_ value: Any) -> Bool {
        (value as? any FloatingPoint)?.isNaN ?? false
    }

    /// The `id` that identifies an element of a list while its content changes; nil if the element has none, or only an
    /// object's address.
    static func identity(_ value: Any) -> AnyHashable? {
        guard let identifiable = value as? any Identifiable else { return nil }
        let identity = identity(of: identifiable)
        return identity.base is ObjectIdentifier ? nil : identity
    }

    private static func identity(of value: some Identifiable) -> AnyHashable {
        AnyHashable(value.id)
    }
}
