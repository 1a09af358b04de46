#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A value differs from the original after it was encoded and decoded, or cannot be decoded.
enum LossyCoding: Error {
    /// Decoding has thrown this.
    case notDecodable(any Error)
    /// The decoded value differs at this place, which is without the keys of dictionaries; empty if it is not known.
    case differs(at: String)

    /// What an error says of a value that differs.
    static func difference(at place: String) -> String {
        "is not the same\(place.isEmpty ? "" : " at \(place)") after it was encoded and decoded again"
    }
}

/// Why a value cannot be encoded, without the value.
struct EncodingFailure: Error, Hashable {
    let reason: String

    init(_ error: any Error) { reason = ErrorLocation.reason(error) }
}

extension Codec {
    /// - Parameter checked: whether to decode the text at once and to compare the result with the value.
    func encode<Value: Codable>(_ value: Value, checked: Bool) throws -> String {
        let text = try encode(value)
        if checked { try check(text, of: value) }
        return text
    }

    /// Throws if a value differs after it was encoded and decoded. One that has no text by itself is not checked.
    func check(_ value: some Codable) throws {
        guard let text = try? encode(value) else { return }
        try check(text, of: value)
    }

    /// Whether two values are equal: by `==`, or by their texts if their type has none. The members of sets and
    /// dictionaries may have another order, and NaN is equal to itself.
    package func areEqual<Value: Codable>(_ left: Value, _ right: Value) -> Bool {
        let byOperator = ValueEquality.areEqual(left, right)
        if byOperator == true { return true }
        let (text, other) = (textToCompare(left), textToCompare(right))
        if byOperator == nil, text == other { return true }
        // Another order has the same bytes. A difference of parts that reflection does not show has others.
        guard let text, let other, text.utf8.sorted() == other.utf8.sorted() else { return false }
        return ValueDiff(from: left, to: right).isEmpty
    }

    /// A text that is the same for equal values. A codec that encrypts writes another one each time.
    package func textToCompare<Value: Codable>(_ value: Value) -> String? {
        (try? JSONCodec().encode(value)) ?? (try? Self.textWithNaN(value)) ?? (try? encode(value))
    }

    /// A JSON text that can have numbers which are not finite.
    private static func textWithNaN<Value: Codable>(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.nonConformingFloatEncodingStrategy = .convertToString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Outlined: keeps generic metadata lookups off the hot path.
    @inline(never)
    private func check<Value: Codable>(_ text: String, of value: Value) throws {
        guard value is any Equatable else { return }
        let after: Value
        do { after = try decode(Value.self, from: text) } catch { throw LossyCoding.notDecodable(error) }
        guard areEqual(value, after) else {
            throw LossyCoding.differs(at: ValueDiff.firstPlace(from: value, to: after))
        }
    }
}

extension AnyEffectID {
    /// Throws if the ID that a restart decodes from its text is another one.
    @inline(never)
    func check(_ text: String) throws {
        // A text whose type is not known yet.
        if base is StoredID { return }
        guard sibling(in: text) == self else { throw LossyCoding.differs(at: "") }
    }
}
