/// The decoding container of an object.
struct FastKeyedDecoding<Key: CodingKey>: KeyedDecodingContainerProtocol {
    let decoder: FastDecoder
    let object: Int

    @inline(__always)
    private var document: JSONDocument { decoder.document }

    var codingPath: [any CodingKey] { document.pathThatIsAskedFor(to: object) }
    var allKeys: [Key] { document.keys(object) }

    func contains(_ key: Key) -> Bool { document.member(object, key.stringValue) != nil }

    @inline(__always)
    private func value(_ key: Key) throws -> Int {
        guard let token = document.member(object, key.stringValue) else {
            throw DecodingError.keyNotFound(key, document.context(object, "The key is missing."))
        }
        return token
    }

    /// Nil if the key is missing or its value is null.
    @inline(__always)
    private func present(_ key: Key) -> Int? {
        guard let token = document.member(object, key.stringValue), !document.isNull(token) else { return nil }
        return token
    }

    func decodeNil(forKey key: Key) throws -> Bool { document.isNull(try value(key)) }

    func decode(_ type: Bool.Type, forKey key: Key) throws -> Bool { try document.bool(value(key)) }
    func decode(_ type: String.Type, forKey key: Key) throws -> String { try document.text(value(key)) }
    func decode(_ type: Double.Type, forKey key: Key) throws -> Double { try document.double(value(key)) }
    func decode(_ type: Float.Type, forKey key: Key) throws -> Float { try document.float(value(key)) }
    func decode(_ type: Int.Type, forKey key: Key) throws -> Int { try document.whole(value(key)) }
    func decode(_ type: Int8.Type, forKey key: Key) throws -> Int8 { try document.whole(value(key)) }
    func decode(_ type: Int16.Type, forKey key: Key) throws -> Int16 { try document.whole(value(key)) }
    func decode(_ type: Int32.Type, forKey key: Key) throws -> Int32 { try document.whole(value(key)) }
    func decode(_ type: Int64.Type, forKey key: Key) throws -> Int64 { try document.whole(value(key)) }
    func decode(_ type: Int128.Type, forKey key: Key) throws -> Int128 { try document.whole(value(key)) }
    func decode(_ type: UInt.Type, forKey key: Key) throws -> UInt { try document.whole(value(key)) }
    func decode(_ type: UInt8.Type, forKey key: Key) throws -> UInt8 { try document.whole(value(key)) }
    func decode(_ type: UInt16.Type, forKey key: Key) throws -> UInt16 { try document.whole(value(key)) }
    func decode(_ type: UInt32.Type, forKey key: Key) throws -> UInt32 { try document.whole(value(key)) }
    func decode(_ type: UInt64.Type, forKey key: Key) throws -> UInt64 { try document.whole(value(key)) }
    func decode(_ type: UInt128.Type, forKey key: Key) throws -> UInt128 { try document.whole(value(key)) }

    func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
        try decoder.decode(type, at: value(key))
    }

    // These look up a key once, the standard library's methods three times. The other types use those.

    func decodeIfPresent(_ type: Bool.Type, forKey key: Key) throws -> Bool? { try present(key).map(document.bool) }
    func decodeIfPresent(_ type: String.Type, forKey key: Key) throws -> String? { try present(key).map(document.text) }
    func decodeIfPresent(_ type: Double.Type, forKey key: Key) throws -> Double? {
        try present(key).map(document.double)
    }
    func decodeIfPresent(_ type: Int.Type, forKey key: Key) throws -> Int? {
        try present(key).map { try document.whole($0) }
    }
    func decodeIfPresent<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value? {
        try present(key).map { try decoder.decode(type, at: $0) }
    }

    func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type, forKey key: Key
    ) throws -> KeyedDecodingContainer<Nested> {
        try decoder.keyed(at: value(key))
    }

    func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
        try decoder.unkeyed(at: value(key))
    }

    /// A separate decoder, which refers to this value whatever is decoded meanwhile.
    func superDecoder() -> any Decoder {
        FastDecoder(document, at: document.member(object, "super") ?? document.null)
    }

    func superDecoder(forKey key: Key) -> any Decoder {
        FastDecoder(document, at: document.member(object, key.stringValue) ?? document.null)
    }
}
