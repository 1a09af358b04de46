internal import Synchronization

/// A value that identifies effects, so that they can be cancelled: any value of such a type.
///
/// IDs are compared by type and value, also after a restart, belong to one stream, and several effects may share one.
/// They are stored as text. The closure effects of a step are found again by that text, so equal values must have the
/// same one. Sets and dictionaries are sorted, unless Foundation has to encode the value (see ``JSONCodec``); an
/// `encode(to:)` of yours must not depend on their order.
///
/// Private types of two files, and local types of two functions, have the same stored name if they have the same name.
/// After a restart, and as cancel IDs of dispatches, their values cannot be told apart: give each type a name of its
/// own, or nest it in a type of its feature.
public typealias EffectID = Codable & Hashable & Sendable

/// ``EffectID`` as a protocol to conform to: `struct LoginID: EffectIDProtocol {}`.
///
/// Modules that are isolated to the main actor by default need it.
public protocol EffectIDProtocol: EffectID {}

/// An ``EffectID`` of any type. Two are equal if their types and values are equal, also if one of them was restored
/// after a restart and its type is not known yet.
public struct AnyEffectID: Hashable, Sendable, CustomStringConvertible {
    /// The wrapped ID. It has another type if it was restored after a restart, or if its reducer has a scope. To find an
    /// ID by its type, ask ``as(_:)``, which knows the first.
    public let base: any EffectID

    /// Wraps an ID. An ID that is already wrapped is not wrapped twice.
    public init(_ base: any EffectID) {
        self.base = (base as? AnyEffectID)?.base ?? base
    }

    /// Whether both have the same type and the same value.
    public static func == (left: AnyEffectID, right: AnyEffectID) -> Bool {
        switch (left.base as? StoredID, right.base as? StoredID) {
        case (let stored?, nil): right.sibling(in: stored.text).map { isEqual($0.base, right.base) } ?? false
        case (nil, let stored?): left.sibling(in: stored.text).map { isEqual($0.base, left.base) } ?? false
        default: isEqual(left.base, right.base)
        }
    }

    /// Hashes only the type: the value of an ID that was restored is not known yet. A large set of IDs is slow.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(startOfText)
    }

    /// Returns the ID as a value of the given type; nil if it has another type.
    ///
    /// It also decodes the ID of a described effect or a timer that was restored after a restart: the type of such an
    /// ID is not known before this call, and ``base`` is not a value of it.
    public func `as`<ID: EffectID>(_ type: ID.Type) -> ID? {
        // A cast alone would also turn 1 into an optional, or an empty list into a list of anything.
        if Swift.type(of: base) == type { return base as? ID }
        // Most are of another type, and a condition asks for the IDs of all effects.
        guard let stored = base as? StoredID, stored.text.utf8.starts(with: Self.startOfText(of: type).utf8) else {
            return nil
        }
        return stored.value(as: type)
    }

    /// The type's name and the value.
    public var description: String { (base as? StoredID)?.text ?? "\(StoredName.of(type(of: base)))(\(base))" }
}

extension AnyEffectID: Codable {
    /// Keeps the stored form of an ID: ``as(_:)`` converts it to a value of its type.
    public init(from decoder: any Decoder) throws {
        base = StoredID(text: try JSONCodec().encode(JSONTree(from: decoder)))
    }

    /// Encodes the value under the name of its type: `{"PaymentID":{"order":7}}`.
    public func encode(to encoder: any Encoder) throws {
        // The same text in any value, because it is found again by that.
        if let run = (encoder as? FastEncoder)?.run {
            return try run.with(dates: .ofIDs) { try write(to: encoder) }
        }
        let codec = JSONCodec(dates: .ofIDs)
        try codec.decode(JSONTree.self, from: codec.encode(Written(id: self))).encode(to: encoder)
    }

    private struct Written: Encodable {
        let id: AnyEffectID
        func encode(to encoder: any Encoder) throws { try id.write(to: encoder) }
    }

    private func write(to encoder: any Encoder) throws {
        if let stored = base as? StoredID { return try stored.encode(to: encoder) }
        var container = encoder.container(keyedBy: StoredName.self)
        try container.encode(base, forKey: StoredName(stringValue: StoredName.of(type(of: base))))
    }
}

/// An ID as a key, which does not equal its stored form: comparing those is slow.
struct ExactID: Hashable, Sendable {
    private let base: any EffectID

    init(_ id: AnyEffectID) { base = id.base }

    static func == (left: ExactID, right: ExactID) -> Bool { isEqual(left.base, right.base) }

    func hash(into hasher: inout Hasher) {
        hasher.combine(ObjectIdentifier(type(of: base)))
        base.hash(into: &hasher)
    }

    /// Its type, and the types that it wraps.
    var types: [ObjectIdentifier] { AnyEffectID(base).types }

    /// How the stored text of each value of its type begins.
    var startOfText: String { AnyEffectID(base).startOfText }

    /// The value that a text stores, if it has the same type as this one.
    func sibling(in text: String) -> ExactID? { AnyEffectID(base).sibling(in: text).map { ExactID($0) } }

    var id: AnyEffectID { AnyEffectID(base) }
}

/// Whether two values have the same type and are equal. `AnyHashable` would treat 1 and 1.0 as equal.
func isEqual(_ left: any EffectID, _ right: any EffectID) -> Bool {
    func compare<Left: Equatable>(_ left: Left) -> Bool { (right as? Left) == left }
    return type(of: left) == type(of: right) && compare(left)
}

/// A stored ID whose type is not known.
struct StoredID: EffectID {
    /// The encoded form of ``AnyEffectID``.
    let text: String
    /// The value, once it was asked for.
    private let known = Known()

    private final class Known: Sendable {
        let value = AtomicLazyReference<Boxed<any EffectID>>()
    }

    static func == (left: StoredID, right: StoredID) -> Bool { left.text == right.text }

    func hash(into hasher: inout Hasher) { hasher.combine(text) }

    /// The value, if it is one of this type, whose name the text begins with. Kept: a condition asks for it at each step.
    func value<ID: EffectID>(as type: ID.Type) -> ID? {
        if let value = known.value.load()?.value, Swift.type(of: value) == type { return value as? ID }
        guard let value = (try? JSONCodec().decode([String: ID].self, from: text))?[StoredName.of(type)] else {
            return nil
        }
        _ = known.value.storeIfNil(Boxed(value))
        return value
    }

    func encode(to encoder: any Encoder) throws {
        try JSONCodec().decode(JSONTree.self, from: text).encode(to: encoder)
    }

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
        text = try JSONCodec().encode(JSONTree(from: decoder))
    }
}
