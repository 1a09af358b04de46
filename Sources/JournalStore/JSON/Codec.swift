#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Converts actions and states to text and back. Decoding must restore an equal value: a replay has only the text. The
/// text can be another one each time, as that of a codec that encrypts.
///
/// All else is stored as plain text, whatever the codec does: effect IDs, queues, the values of described effects,
/// remembered results, reasons and errors.
public protocol Codec: Sendable {
    /// Returns the text of a value.
    ///
    /// If it throws for an action, `dispatch` throws ``JournalError/Code/notStorable`` and appends nothing. An effect that
    /// returns the action has failed; one that sends it gets the error. If it throws for a state, no snapshot is stored.
    func encode<Value: Encodable>(_ value: Value) throws -> String
    /// Returns the value of a text.
    ///
    /// If it throws for an action, the opening or the replay that needs it throws ``JournalError/Code/notDecodable``.
    /// If it throws for a state, that snapshot is not used.
    func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value
}

/// JSON with sorted keys: the default codec, and the format that the journal's views read.
///
/// Except for dates, the order of sets and of dictionaries that are lists, and a `Decimal` that is NaN, the texts and
/// errors are those of Foundation's coders with sorted keys and unescaped slashes. Common values are coded without
/// Foundation, several times faster; all others are coded again by Foundation from the start. In that case
/// `encode(to:)` and `init(from:)` of a value may run twice, and sets are not sorted.
public struct JSONCodec: Codec {
    /// How dates are written. Both forms are read, whatever the codec writes.
    public enum DateForm: Hashable, Sendable {
        /// A text such as `"2026-11-20T12:00:00.25Z"`, which is as exact as the date. A date that has no such text,
        /// because its year is not one of 1 to 9999 or it is within 0.1 ms of the start of 2001 (0 itself has one, and
        /// -0 has none), is written as a number.
        case iso8601
        /// A number of seconds since 2001, as Foundation's coders write by default.
        case secondsSince2001

        /// IDs and queues are compared by their texts, so their form never changes: docs/decisions/dates.md.
        static let ofIDs = secondsSince2001
    }

    private let dates: DateForm
    private let encoder: JSONEncoder
    private let decoder: JSONDecoder

    /// Creates the codec. Encoding NaN or an infinity throws.
    ///
    /// - Parameter dates: how dates are written.
    public init(dates: DateForm = .iso8601) {
        self.dates = dates
        encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        if dates == .iso8601 { encoder.dateEncodingStrategy = .custom(Self.encode) }
        decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom(Self.decode)
    }

    /// Returns the JSON of a value.
    public func encode<Value: Encodable>(_ value: Value) throws -> String {
        if let text = FastEncoding.text(of: value, dates) { return text }
        let text = String(decoding: try encoder.encode(value), as: UTF8.self)
        guard !Self.hasNaN(text) else {
            let path = FastEncoding.pathToNaN(in: value, dates)
            throw EncodingError.invalidValue(
                Decimal.nan, .init(codingPath: path, debugDescription: "JSON cannot represent this number."))
        }
        return text
    }

    /// Whether a text of Foundation's encoder contains a `Decimal` that is NaN, which is the only `N` outside of
    /// quotes.
    private static func hasNaN(_ text: String) -> Bool {
        var isQuoted = false
        var isEscaped = false
        for byte in text.utf8 {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if isQuoted {
                isEscaped = byte == UInt8(ascii: "\\")
            } else if byte == UInt8(ascii: "N") {
                return true
            }
        }
        return false
    }

    /// Returns the value of a JSON text.
    public func decode<Value: Decodable>(_ type: Value.Type, from text: String) throws -> Value {
        do { return try FastDecoder.value(type, of: text) } catch { return try decodeByFoundation(type, text) }
    }

    private static func encode(_ date: Date, to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        let seconds = date.timeIntervalSinceReferenceDate
        if let text = ISODate.text(seconds) { try container.encode(text) } else { try container.encode(seconds) }
    }

    private static func decode(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        guard let text = try? container.decode(String.self) else {
            return Date(timeIntervalSinceReferenceDate: try container.decode(Double.self))
        }
        guard let seconds = ISODate.seconds(text) else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The text is not a date.")
        }
        return Date(timeIntervalSinceReferenceDate: seconds)
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
