/// Which case of which enum, told by all that reflection shows of it.
///
/// Names alone do not tell cases apart: `move(x:)` and `move(y:)` are both `move`, and two enums behind one protocol can
/// share a name. The type of a payload has its labels.
struct EnumCase: Equatable, Sendable {
    var subject: Any.Type
    var payload: Any.Type
    var name: String

    static func == (left: Self, right: Self) -> Bool {
        left.subject == right.subject && left.payload == right.payload && left.name == right.name
    }

    /// Whether a mirror of it can be believed. One that the type made itself shows what it likes; and a mirror copies a
    /// function without its calling convention, so that to call it would be undefined.
    var canBeReflected: Bool {
        !(subject is any CustomReflectable.Type) && !String(reflecting: payload).contains("->")
    }
}

/// What a value of an enum carries, and in which case.
struct EnumPayload {
    let enumCase: EnumCase
    private let payload: Any

    /// `nil` for a case that carries nothing, and for what is no enum.
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

    /// A single payload with a label is a tuple of one, which no cast takes apart.
    private var onlyElement: Any? {
        if payload is any CustomReflectable { return nil }
        let mirror = Mirror(reflecting: payload)
        guard mirror.displayStyle == .tuple, mirror.children.count == 1 else { return nil }
        return mirror.children.first?.value
    }
}

/// The type a payload was declared with, where `type(of:)` would look through an existential at what is inside.
private func declaredType<Declared>(of _: Declared) -> Any.Type {
    Declared.self
}

/// From the declared type itself: a cast out of `Any` looks through optionals first, and takes longer.
private func cast<Declared, Value>(_ value: Declared) -> Value? {
    value as? Value
}
