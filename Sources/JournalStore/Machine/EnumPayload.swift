/// Identifies a case of an enum by everything that reflection shows of it.
///
/// Names alone are ambiguous: `move(x:)` and `move(y:)` are both `move`, and two enums that conform to one protocol can
/// share a case name. The type of a payload includes its labels.
struct EnumCase: Equatable, Sendable {
    var subject: Any.Type
    var payload: Any.Type
    var name: String

    static func == (left: Self, right: Self) -> Bool {
        left.subject == right.subject && left.payload == right.payload && left.name == right.name
    }

    /// Whether a mirror of it is reliable. A custom mirror shows what its type chooses; and a mirror copies a function
    /// without its calling convention, so that calling it would be undefined behavior.
    var canBeReflected: Bool {
        !(subject is any CustomReflectable.Type) && !String(reflecting: payload).contains("->")
    }
}

/// The payload of an enum value, and its case.
struct EnumPayload {
    let enumCase: EnumCase
    private let payload: Any

    /// Returns `nil` for a case without payload, and for a value that is not an enum.
    init?(of root: Any) {
        let mirror = Mirror(reflecting: root)
        guard mirror.displayStyle == .enum, let child = mirror.children.first, let name = child.label
        else { return nil }
        payload = child.value
        enumCase = EnumCase(subject: type(of: root), payload: declaredType(of: payload), name: name)
    }

    func value<Value>(as type: Value.Type = Value.self) -> Value? {
        if enumCase.payload == type { return cast(payload) }
        return (onlyElement ?? payload) as? Value
    }

    /// A single labelled payload is a tuple of one element, which a cast cannot unwrap.
    private var onlyElement: Any? {
        if payload is any CustomReflectable { return nil }
        let mirror = Mirror(reflecting: payload)
        guard mirror.displayStyle == .tuple, mirror.children.count == 1 else { return nil }
        return mirror.children.first?.value
    }
}

/// The declared type of a payload, where `type(of:)` would return the dynamic type inside an existential.
private func declaredType<Declared>(of _: Declared) -> Any.Type {
    Declared.self
}

/// Casts from the declared type: a cast from `Any` unwraps optionals first, and is slower.
private func cast<Declared, Value>(_ value: Declared) -> Value? {
    value as? Value
}
