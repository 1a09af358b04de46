/// The decoding container of an array.
struct FastUnkeyedDecoding: UnkeyedDecodingContainer {
    let decoder: FastDecoder
    private let array: Int
    private let total: Int
    /// The token of the next element.
    private var element: Int
    private(set) var currentIndex = 0

    init(decoder: FastDecoder, array: Int) {
        self.decoder = decoder
        self.array = array
        total = Int(decoder.document.tokens[array].count)
        element = array + 1
    }

    @inline(__always)
    var document: JSONDocument { decoder.document }

    var codingPath: [any CodingKey] { document.pathThatIsAskedFor(to: array) }
    var count: Int? { total }
    var isAtEnd: Bool { currentIndex >= total }
    /// Nil after the end and for a null.
    var presentElement: Int? { currentIndex < total && !document.isNull(element) ? element : nil }

    /// The next element's value. If decoding fails, the position is unchanged and the caller can try another type.
    @inline(__always)
    private mutating func next<Value>(_ type: Any.Type, _ read: (Int) throws -> Value) throws -> Value {
        guard currentIndex < total else { throw end(type) }
        let value = try read(element)
        advance()
        return value
    }

    @inline(__always)
    mutating func advance() {
        // After the end only the index advances, as in Foundation.
        if currentIndex < total { element = Int(document.tokens[element].next) }
        currentIndex += 1
    }

    private func end(_ type: Any.Type) -> DecodingError {
        var path = document.path(to: array)
        path.append(PathKey(index: currentIndex))
        return .valueNotFound(type, .init(codingPath: path, debugDescription: "There is no element left."))
    }

    mutating func decodeNil() throws -> Bool {
        guard currentIndex < total else { throw end(Never.self) }
        guard document.isNull(element) else { return false }
        advance()
        return true
    }

    mutating func decode(_ type: Bool.Type) throws -> Bool { try next(type, document.bool) }
    mutating func decode(_ type: String.Type) throws -> String { try next(type, document.text) }
    mutating func decode(_ type: Double.Type) throws -> Double { try next(type, document.double) }
    mutating func decode(_ type: Float.Type) throws -> Float { try next(type, document.float) }
    mutating func decode(_ type: Int.Type) throws -> Int { try next(type, document.whole) }
    mutating func decode(_ type: Int8.Type) throws -> Int8 { try next(type, document.whole) }
    mutating func decode(_ type: Int16.Type) throws -> Int16 { try next(type, document.whole) }
    mutating func decode(_ type: Int32.Type) throws -> Int32 { try next(type, document.whole) }
    mutating func decode(_ type: Int64.Type) throws -> Int64 { try next(type, document.whole) }
    mutating func decode(_ type: Int128.Type) throws -> Int128 { try next(type, document.whole) }
    mutating func decode(_ type: UInt.Type) throws -> UInt { try next(type, document.whole) }
    mutating func decode(_ type: UInt8.Type) throws -> UInt8 { try next(type, document.whole) }
    mutating func decode(_ type: UInt16.Type) throws -> UInt16 { try next(type, document.whole) }
    mutating func decode(_ type: UInt32.Type) throws -> UInt32 { try next(type, document.whole) }
    mutating func decode(_ type: UInt64.Type) throws -> UInt64 { try next(type, document.whole) }
    mutating func decode(_ type: UInt128.Type) throws -> UInt128 { try next(type, document.whole) }

    mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
        let decoder = decoder
        return try next(type) { try decoder.decode(type, at: $0) }
    }

    mutating func nestedContainer<Nested: CodingKey>(
        keyedBy type: Nested.Type
    ) throws -> KeyedDecodingContainer<Nested> {
        let decoder = decoder
        return try next(KeyedDecodingContainer<Nested>.self) { try decoder.keyed(at: $0) }
    }

    mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
        let decoder = decoder
        return try next((any UnkeyedDecodingContainer).self) { try decoder.unkeyed(at: $0) }
    }

    mutating func superDecoder() throws -> any Decoder {
        let document = document
        return try next((any Decoder).self) { FastDecoder(document, at: $0) }
    }
}
