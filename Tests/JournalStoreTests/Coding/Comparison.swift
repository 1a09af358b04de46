import Foundation
import Testing

@testable import JournalStore

/// Foundation's coders, as the reference for the codec.
enum Foundations {
    static func text<Value: Encodable>(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    /// It reads dates as the codec does.
    private static var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let text = try? container.decode(String.self) else {
                return Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
            }
            guard let seconds = ISODate.seconds(text) else {
                throw DecodingError.dataCorruptedError(in: container, debugDescription: "")
            }
            return Date(timeIntervalSinceReferenceDate: seconds)
        }
        return decoder
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        // Foundation reads one byte past a number at the end, so that byte must not be a random one.
        let text = text.last?.isNumber == true && !text.contains("\0") ? text + " " : text
        return try decoder.decode(type, from: Data(text.utf8))
    }
}

/// The codec that writes dates as Foundation does.
private let codec = JSONCodec(dates: .secondsSince2001)

/// A coder's text, or "error": which error it throws can depend on a dictionary's order, so all errors are equal.
func outcome(_ body: () throws -> String) -> String {
    do { return try body() } catch { return "error" }
}

/// Decodes a text as one type with both coders.
struct TextReading: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let compare: @Sendable (String) -> (ours: String, theirs: String)

    init<Value: Codable & Sendable>(_ type: Value.Type) {
        testDescription = "\(type)"
        compare = { text in
            (
                outcome { try Foundations.text(codec.decode(type, from: text)) },
                outcome { try Foundations.text(Foundations.value(type, text)) }
            )
        }
    }
}

/// Encodes a value with both coders.
struct TextWriting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Our text without Foundation; nil if the codec falls back to Foundation.
    let fast: @Sendable () -> String?
    let ours: @Sendable () -> String
    let theirs: @Sendable () -> String
    /// Whether the text is decoded without Foundation.
    let isReadFast: @Sendable () -> Bool
    /// Decodes a text and encodes the value again, with both coders.
    let again: @Sendable (String) -> (ours: String, theirs: String)

    init<Value: Codable & Sendable>(_ description: String, _ value: Value) {
        testDescription = description
        fast = { FastEncoding.text(of: value, .secondsSince2001) }
        ours = { outcome { try codec.encode(value) } }
        theirs = { outcome { try Foundations.text(value) } }
        isReadFast = { (try? FastDecoder.value(Value.self, of: Foundations.text(value))) != nil }
        again = TextReading(Value.self).compare
    }
}
