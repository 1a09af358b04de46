/// Reads the payload of an enum's case, which is given by its constructor.
///
/// Reflection finds out the type of a case's payload when a value of the case is first seen. From then on a value is matched by the
/// tag of its case, and its payload is read without reflection.
final class PayloadReader<Root>: Sendable {
    /// What a case holds.
    private enum Content: Sendable {
        case unknown
        case nothing
        case payload(any Any.Type)
    }

    private let tag = EnumTag<Root>()
    private let projection = EnumProjection<Root>()
    /// By the number of the case.
    private let contents = Lock<[Content]>([])

    /// The payload, if the value is of the constructor's case. The constructor must pass its payload on unchanged.
    func payload<Payload>(of root: Root, in constructor: @escaping @Sendable (Payload) -> Root) -> Payload? {
        // Types that have no tags, as optionals, or whose layout is not known.
        guard let tag, let projection else { return ReflectedCase(constructor).extract(from: root) }
        let found = tag.of(root)
        guard case .payload(let type) = content(of: found, root), TupleElements.areEqual(type, Payload.self),
            let payload = projection.payload(of: root, case: found, as: Payload.self)
        else { return nil }
        // Another case can hold the same type.
        return tag.of(constructor(payload)) == found ? payload : nil
    }

    private func content(of number: Int, _ root: Root) -> Content {
        let known = contents.withLock { number < $0.count ? $0[number] : .unknown }
        if case .unknown = known {} else { return known }
        let content = Self.content(of: root)
        contents.withLock { contents in
            while contents.count <= number { contents.append(.unknown) }
            contents[number] = content
        }
        return content
    }

    private static func content(of root: Root) -> Content {
        guard let payload = EnumPayload(of: root), payload.enumCase.canBeReflected else { return .nothing }
        return .payload(payload.enumCase.payload)
    }
}
