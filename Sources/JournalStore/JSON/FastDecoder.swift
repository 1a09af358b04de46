#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Decodes a text, and a single value in it.
///
/// One object for the whole text, as in Foundation: it always refers to the value whose `init(from:)` is running.
final class FastDecoder: Decoder {
    let document: JSONDocument
    /// The token of the value that is being decoded.
    private(set) var token: Int

    init(_ document: JSONDocument, at token: Int) {
        self.document = document
        self.token = token
    }

    var codingPath: [any CodingKey] { document.pathThatIsAskedFor(to: token) }
    var userInfo: [CodingUserInfoKey: Any] { [:] }

    /// Whether the value is a number without a fraction and without an exponent.
    var isWhole: Bool { document.tokens[token].kind == .whole }

    /// Decodes a text. Any error means that Foundation must decode it: for the value, or for the error.
    ///
    /// Returns no optional here and below: looking up its type costs more than decoding many a value.
    static func value<Value: Decodable>(_ type: Value.Type, of text: String) throws -> Value {
        var text = text
        return try text.withUTF8 { try value(type, of: $0) }
    }

    static func value<Value: Decodable>(_ type: Value.Type, of bytes: UnsafeBufferPointer<UInt8>) throws -> Value {
        var document = try JSONDocument(bytes)
        // If the value's code kept a decoder, that decoder may be used later and needs its own copy of the text.
        defer { if !isKnownUniquelyReferenced(&document) { document.keepText() } }
        let value = try FastDecoder(document, at: 0).decode(type, at: 0)
        guard isKnownUniquelyReferenced(&document), !document.hasGivenUp else { throw NotForUs() }
        return value
    }

    /// Decodes the value of a token. The types listed here are decoded without their own code: Foundation has its own
    /// format for them, or the result is the same.
    func decode<Value: Decodable>(_ type: Value.Type, at token: Int) throws -> Value {
        if type == Int.self { return unsafeBitCast(try document.whole(token) as Int, to: type) }
        if type == String.self { return unsafeBitCast(try document.text(token), to: type) }
        if type == Double.self { return unsafeBitCast(try document.double(token), to: type) }
        if type == Bool.self { return unsafeBitCast(try document.bool(token), to: type) }
        if type == Date.self { return unsafeBitCast(try document.date(token), to: type) }
        if type == Data.self { return unsafeBitCast(try document.data(token), to: type) }
        if type == URL.self { return unsafeBitCast(try document.url(token), to: type) }
        if type == Decimal.self { return unsafeBitCast(try document.decimal(token), to: type) }
        let outer = self.token
        self.token = token
        defer { self.token = outer }
        return try type.init(from: self)
    }

    func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        try keyed(at: token)
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        try unkeyed(at: token)
    }

    func singleValueContainer() -> any SingleValueDecodingContainer { self }

    func keyed<Key: CodingKey>(at token: Int) throws -> KeyedDecodingContainer<Key> {
        try document.require(.object, token, [String: Any].self)
        return KeyedDecodingContainer(FastKeyedDecoding<Key>(decoder: self, object: token))
    }

    func unkeyed(at token: Int) throws -> any UnkeyedDecodingContainer {
        try document.require(.array, token, [Any].self)
        return FastUnkeyedDecoding(decoder: self, array: token)
    }
}
