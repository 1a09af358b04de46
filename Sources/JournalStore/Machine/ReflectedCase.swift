/// A case of an enum, given only by its constructor: values are matched by reflection.
///
/// The case is only known once a value of it has been made. The first payload of a matching type is used for that; from
/// then on other cases are rejected without inspecting their payloads.
final class ReflectedCase<Root, Value>: Sendable {
    private let embed: @Sendable (Value) -> Root
    private let optionals: OptionalLayers
    private let known = Lock<EnumCase?>(nil)

    init(_ embed: @escaping @Sendable (Value) -> Root) {
        self.embed = embed
        optionals = OptionalLayers(around: Value.self, in: Root.self)
    }

    func extract(from root: Root) -> Value? {
        guard let content = optionals.content(of: root) else { return nil }
        if optionals.reachValue { return content as? Value }

        guard let found = EnumPayload(of: content) else { return nil }
        if let known = known.withLock({ $0 }) {
            return found.enumCase == known ? found.value() : nil
        }
        guard let value: Value = found.value(), let own = learn(from: value) else { return nil }
        return found.enumCase == own ? value : nil
    }

    /// The value may come from another case with a payload of the same type: embedding it gives this case.
    private func learn(from value: Value) -> EnumCase? {
        guard let content = optionals.content(of: embed(value)),
            let own = EnumPayload(of: content)?.enumCase, own.canBeReflected
        else { return nil }
        known.withLock { $0 = own }
        return own
    }
}

/// The optionals around an enum, which the compiler can add: `(Todo) -> Action` is also a `(Todo) -> Action?`.
private struct OptionalLayers {
    private var count = 0
    /// Whether the last optional wraps the payload itself and not an enum: the case is `Optional.some`.
    private(set) var reachValue = false

    init(around value: Any.Type, in root: Any.Type) {
        var type = root
        while !reachValue, let optional = type as? any OptionalValue.Type {
            type = optional.wrapped
            count += 1
            reachValue = type == value
        }
    }

    func content(of root: Any) -> Any? {
        var content = root
        for _ in 0..<count {
            guard let inner = (content as? any OptionalValue)?.content else { return nil }
            content = inner
        }
        return content
    }
}

private protocol OptionalValue {
    static var wrapped: Any.Type { get }
    var content: Any? { get }
}

extension Optional: OptionalValue {
    fileprivate static var wrapped: Any.Type { Wrapped.self }
    fileprivate var content: Any? { map { $0 as Any } }
}
