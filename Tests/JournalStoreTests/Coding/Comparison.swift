import Foundation
import Testing

@testable import JournalStore

/// Foundation's coders as the codec's law: the text of a value, the value of a text, or the error.
enum Foundations {
    static func text<Value: Encodable>(_ value: Value) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    static func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        // Behind a number it looks at one byte too many: not at one that chance put there.
        let text = text.last?.isNumber == true && !text.contains("\0") ? text + " " : text
        return try JSONDecoder().decode(type, from: Data(text.utf8))
    }
}

/// What a coder makes of something: a text, or an error. Which one depends on the order of a dictionary, so on chance.
func outcome(_ body: () throws -> String) -> String {
    do { return try body() } catch { return "error" }
}

/// One way to read a text, in which two coders can be compared.
struct TextReading: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let compare: @Sendable (String) -> (ours: String, theirs: String)

    init<Value: Codable & Sendable>(_ type: Value.Type) {
        testDescription = "\(type)"
        compare = { text in
            (
                outcome { try Foundations.text(JSONCodec().decode(type, from: text)) },
                outcome { try Foundations.text(Foundations.value(type, text)) }
            )
        }
    }
}

/// A value of any type, in two coders.
struct TextWriting: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Ours, without asking Foundation; nil where it is asked.
    let fast: @Sendable () -> String?
    let ours: @Sendable () -> String
    let theirs: @Sendable () -> String
    /// Whether its text is read without asking Foundation.
    let isReadFast: @Sendable () -> Bool
    /// What the text gives when it is read and written again.
    let again: @Sendable (String) -> (ours: String, theirs: String)

    init<Value: Codable & Sendable>(_ description: String, _ value: Value) {
        testDescription = description
        fast = { FastEncoding.text(of: value) }
        ours = { outcome { try JSONCodec().encode(value) } }
        theirs = { outcome { try Foundations.text(value) } }
        isReadFast = { (try? FastDecoder.value(Value.self, of: Foundations.text(value))) != nil }
        again = TextReading(Value.self).compare
    }
}
