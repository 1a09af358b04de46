/// What an effect can be known by, for cancelling it: any value of any such type.
///
/// IDs are compared by type and value, belong to one stream, and may be shared by several effects. They are stored as text,
/// so what they hold must have a stable order: no sets, no dictionaries with other keys than strings.
public typealias EffectID = Codable & Hashable & Sendable

/// The same as a protocol to conform to: `struct LoginID: EffectIDProtocol {}`.
///
/// It is needed in modules that are isolated to the main actor by default.
public protocol EffectIDProtocol: EffectID {}

/// An ``EffectID`` of any type. Two are equal where type and value are.
public struct AnyEffectID: Hashable, Sendable, CustomStringConvertible {
    /// The ID itself.
    public let base: any EffectID

    /// Wraps an ID; one that is wrapped already stays as it is.
    public init(_ base: any EffectID) {
        self.base = (base as? AnyEffectID)?.base ?? base
    }

    /// Whether both have the same type and the same value.
    public static func == (left: AnyEffectID, right: AnyEffectID) -> Bool {
        isEqual(left.base, right.base)
    }

    /// Feeds the type and the value.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: base)))
        base.hash(into: &hasher)
    }

    /// The type's name and the value.
    public var description: String { "\(StoredName.of(type(of: base)))(\(base))" }
}

extension AnyEffectID: Codable {
    /// An ID of an unknown type cannot be read back.
    public init(from decoder: any Decoder) throws {
        throw DecodingError.dataCorrupted(
            DecodingError.Context(codingPath: decoder.codingPath, debugDescription: "The type of the ID is not known."))
    }

    /// Encodes the type's name with the value: `{"PaymentID":{"order":7}}`.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: StoredName.self)
        try container.encode(base, forKey: StoredName(stringValue: StoredName.of(type(of: base))))
    }
}

/// Whether two values of any type have the same type and are equal. `AnyHashable` would call 1 and 1.0 the same.
func isEqual(_ left: any EffectID, _ right: any EffectID) -> Bool {
    func compare<Left: Equatable>(_ left: Left) -> Bool { (right as? Left) == left }
    return type(of: left) == type(of: right) && compare(left)
}
