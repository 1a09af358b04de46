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

    /// The ID as one of a type; nil where it is another one.
    ///
    /// It also reads the ID of a described effect or a timer that came back after a restart: its type is not known until somebody
    /// asks for it, and ``base`` is no value of it.
    public func `as`<ID: EffectID>(_ type: ID.Type) -> ID? {
        if let id = base as? ID { return id }
        guard let stored = base as? StoredID else { return nil }
        return (try? JSONCodec().decode([String: ID].self, from: stored.text))?[StoredName.of(type)]
    }

    /// The type's name and the value.
    public var description: String { (base as? StoredID)?.text ?? "\(StoredName.of(type(of: base)))(\(base))" }
}

extension AnyEffectID: Codable {
    /// Reads it as it is stored: ``as(_:)`` makes it a value of its type.
    public init(from decoder: any Decoder) throws {
        base = StoredID(text: try JSONCodec().encode(JSONTree(from: decoder)))
    }

    /// Encodes the type's name with the value: `{"PaymentID":{"order":7}}`.
    public func encode(to encoder: any Encoder) throws {
        if let stored = base as? StoredID { return try stored.encode(to: encoder) }
        var container = encoder.container(keyedBy: StoredName.self)
        try container.encode(base, forKey: StoredName(stringValue: StoredName.of(type(of: base))))
    }
}

/// Whether two values of any type have the same type and are equal. `AnyHashable` would call 1 and 1.0 the same.
func isEqual(_ left: any EffectID, _ right: any EffectID) -> Bool {
    func compare<Left: Equatable>(_ left: Left) -> Bool { (right as? Left) == left }
    return type(of: left) == type(of: right) && compare(left)
}

/// An ID of which only the text is known.
struct StoredID: EffectID {
    /// As ``AnyEffectID`` encodes itself.
    let text: String

    func encode(to encoder: any Encoder) throws {
        try JSONCodec().decode(JSONTree.self, from: text).encode(to: encoder)
    }

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try JSONCodec().encode(JSONTree(from: decoder))
    }
}
