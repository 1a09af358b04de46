/// Reads the payload of an enum's case, which is given by its constructor.
///
/// Reflection finds out the type of a case's payload when a value of the case is first seen. From then on a value is
/// matched by the tag of its case, and its payload is read without reflection.
@usableFromInline
final class PayloadReader<Root>: Sendable {
    @usableFromInline let tag = EnumTag<Root>()
    @usableFromInline let projection = EnumProjection<Root>()
    /// By the number of the case.
    private let contents = Lock<[CaseContent]>([])

    @usableFromInline
    init() {}

    /// The payload, if the value is of the constructor's case. The constructor must pass its payload on unchanged.
    @inlinable
    func payload<Payload>(of root: Root, in constructor: @escaping @Sendable (Payload) -> Root) -> Payload? {
        // Types that have no tags, as optionals, or whose layout is not known.
        guard let tag, let projection else { return Self.reflectedPayload(of: root, in: constructor) }
        let found = tag.of(root)
        guard let type = payloadType(of: found, root) else { return nil }
        let content: Payload?
        if type == Payload.self || TupleElements.areEqual(type, Payload.self) {
            content = projection.payload(of: root, case: found, as: Payload.self)
        } else if TupleElements.areEqual(type, Payload?.self) {
            // The compiler passes the constructor of a case with an optional also as a function of a value.
            content = projection.payload(of: root, case: found, as: Payload?.self) ?? nil
        } else {
            return nil
        }
        guard let payload = content else { return nil }
        // Another case can hold the same type.
        return tag.of(constructor(payload)) == found ? payload : nil
    }

    /// Whether the case of a value holds an optional of this type. Then its constructor, used as a function of a value,
    /// matches only some values of the case.
    func unwraps<Payload>(_ root: Root, to _: Payload.Type) -> Bool {
        guard let tag, let type = payloadType(of: tag.of(root), root) else { return false }
        return !TupleElements.areEqual(type, Payload.self) && TupleElements.areEqual(type, Payload?.self)
    }

    /// The type of what a case holds; nil for nothing.
    @usableFromInline
    func payloadType(of number: Int, _ root: Root) -> (any Any.Type)? {
        switch contents.withLock({ number < $0.count ? $0[number] : .unknown }) {
        case .nothing: return nil
        case .payload(let type): return type
        case .unknown: break
        }
        let payload = EnumPayload(of: root).flatMap { $0.enumCase.canBeReflected ? $0.enumCase.payload : nil }
        guard number < EnumTag<Root>.listLimit else { return payload }
        contents.withLock { contents in
            while contents.count <= number { contents.append(.unknown) }
            contents[number] = payload.map(CaseContent.payload) ?? .nothing
        }
        return payload
    }

    @usableFromInline
    static func reflectedPayload<Payload>(
        of root: Root, in constructor: @escaping @Sendable (Payload) -> Root
    ) -> Payload? {
        ReflectedCase(constructor).extract(from: root)
    }
}

/// What a case holds. Not nested: arrays of a type that depends on another one are slow.
private enum CaseContent: Sendable {
    case unknown
    case nothing
    case payload(any Any.Type)
}
