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
///
/// The texts are those of Foundation's coders with sorted keys and plain slashes, to the byte, and so are the errors. What
/// is usual is coded without them, several times faster; anything else they code from its beginning. `encode(to:)` and
/// `init(from:)` of a value may run twice then.
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
        if let text = FastEncoding.text(of: value) { return text }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// The value of a JSON text.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        do { return try FastDecoder.value(type, of: text) } catch { return try decodeByFoundation(type, text) }
    }

    /// The same, where the text lies in memory.
    func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeBufferPointer<UInt8>) throws -> Value {
        do { return try FastDecoder.value(type, of: bytes) } catch {
            return try decodeByFoundation(type, String(decoding: bytes, as: UTF8.self))
        }
    }

    /// It knows the value, or what is wrong.
    private func decodeByFoundation<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        // What ends with an open bracket is no JSON, and where 512 are open before it Foundation brings the process down.
        guard text.utf8.last != UInt8(ascii: "[") else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The text ends in an open list."))
        }
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
