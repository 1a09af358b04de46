// Foundation advances the index even after the last element. The standard library's default methods do not.
extension FastUnkeyedDecoding {
    /// The next element's value; nil for a null and after the end.
    @inline(__always)
    private mutating func present<Value>(_ read: (Int) throws -> Value) throws -> Value? {
        guard let element = presentElement else {
            advance()
            return nil
        }
        let value = try read(element)
        advance()
        return value
    }

    mutating func decodeIfPresent(_ type: Bool.Type) throws -> Bool? { try present(document.bool) }
    mutating func decodeIfPresent(_ type: String.Type) throws -> String? { try present(document.text) }
    mutating func decodeIfPresent(_ type: Double.Type) throws -> Double? { try present(document.double) }
    mutating func decodeIfPresent(_ type: Float.Type) throws -> Float? { try present(document.float) }
    mutating func decodeIfPresent(_ type: Int.Type) throws -> Int? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: Int8.Type) throws -> Int8? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: Int16.Type) throws -> Int16? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: Int32.Type) throws -> Int32? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: Int64.Type) throws -> Int64? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: UInt.Type) throws -> UInt? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: UInt8.Type) throws -> UInt8? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: UInt16.Type) throws -> UInt16? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: UInt32.Type) throws -> UInt32? { try present(document.whole) }
    mutating func decodeIfPresent(_ type: UInt64.Type) throws -> UInt64? { try present(document.whole) }

    mutating func decodeIfPresent<Value: Decodable>(_ type: Value.Type) throws -> Value? {
        let decoder = decoder
        return try present { try decoder.decode(type, at: $0) }
    }
}
