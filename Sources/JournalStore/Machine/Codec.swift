#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// How actions and states become text and come back. What comes back must equal what went in: a replay is given nothing else.
public protocol Codec: Sendable {
    /// The text of a value.
    func encode<Value: Encodable>(_ value: Value) throws -> String
    /// The value of a text.
    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value
}

/// JSON with sorted keys: the default, and what the journal's views read.
public struct JSONCodec: Codec {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Dates are numbers of seconds since 2001, which loses nothing; a NaN or an infinity is an error.
    public init() {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        decoder = JSONDecoder()
    }

    /// The JSON of a value.
    public func encode<Value: Encodable>(_ value: Value) throws -> String {
        String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The value of a JSON text.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        try decoder.decode(type, from: Data(text.utf8))
    }
}
