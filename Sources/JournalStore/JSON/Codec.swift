#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts actions and states to text and back. Decoding must restore an equal value: a replay has only the text.
public protocol Codec: Sendable {
    /// Returns the text of a value.
    func encode<Value: Encodable>(_ value: Value) throws -> String
    /// Returns the value of a text.
    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value
}

/// JSON with sorted keys: the default codec, and the format that the journal's views read.
///
/// The texts and errors are exactly those of Foundation's coders with sorted keys and unescaped slashes. Common values
/// are coded without Foundation, several times faster; all others are coded again by Foundation from the start. In that
/// case `encode(to:)` and `init(from:)` of a value may run twice.
public struct JSONCodec: Codec {
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates the codec. Dates are exact numbers of seconds since 2001; encoding NaN or an infinity throws.
    public init() {
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        decoder = JSONDecoder()
    }

    /// Returns the JSON of a value.
    public func encode<Value: Encodable>(_ value: Value) throws -> String {
        if let text = FastEncoding.text(of: value) { return text }
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// Returns the value of a JSON text.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        do { return try FastDecoder.value(type, of: text) } catch { return try decodeByFoundation(type, text) }
    }

    /// Decodes a text that is in memory as bytes.
    func decode<Value: Decodable>(_ type: Value.Type, from bytes: UnsafeBufferPointer<UInt8>) throws -> Value {
        do { return try FastDecoder.value(type, of: bytes) } catch {
            return try decodeByFoundation(type, String(decoding: bytes, as: UTF8.self))
        }
    }

    /// Returns the value, or throws the error that explains what is wrong.
    private func decodeByFoundation<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        // A text that ends with an open bracket is not JSON, and Foundation crashes if 512 are open before it.
        guard text.utf8.last != UInt8(ascii: "[") else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "The text ends in an open list."))
        }
        return try decoder.decode(type, from: Data(text.utf8))
    }
}
