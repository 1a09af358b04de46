import JournalStore

/// A JSON value that the tool writes, or a parsed one, in which a path can select a part. Keys keep their order.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    /// The number as it is written, so that no digit is lost.
    case number(String)
    case text(String)
    /// Encoded JSON, on one line.
    case raw(String)
    case list([JSON])
    case object([Member])

    struct Member: Hashable, Sendable {
        var key: String
        var value: JSON
    }

    static func number(_ value: Int64) -> JSON { .number(String(value)) }
    static func number(_ value: Int) -> JSON { .number(String(value)) }
    static func number(_ value: Int?) -> JSON { value.map { .number($0) } ?? .null }
    static func text(_ value: String?) -> JSON { value.map { .text($0) } ?? .null }

    /// The value for people: a text has no quotes, null is empty.
    var plain: String {
        switch self {
        case .null: ""
        case .text(let text): text
        default: json
        }
    }

    /// The value on one line.
    var json: String { JSONOutput.text(write) }

    func write(to output: inout JSONOutput) {
        switch self {
        case .null: output.append(plain: "null")
        case .bool(let value): output.append(plain: value ? "true" : "false")
        case .number(let json), .raw(let json): output.append(plain: json)
        case .text(let text): output.append(quoted: text, .terminal)
        case .list(let values):
            output.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                value.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                output.append(quoted: member.key, .terminal)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }
}

extension JSON {
    /// Parses a text; nil if it is not JSON.
    init?(_ text: String) {
        guard let value = JSONDocument.read(text, { JSON($0, 0) }) else { return nil }
        self = value
    }

    private init(_ document: JSONDocument, _ token: Int) {
        switch document.kind(token) {
        case .null: self = .null
        case .yes: self = .bool(true)
        case .no: self = .bool(false)
        case .whole, .number: self = .number(String(decoding: document.bytes(token), as: UTF8.self))
        case .text: self = .text(document.unchecked(text: token))
        case .array: self = .list(document.children(token).map { JSON(document, $0) })
        case .object:
            self = .object(
                document.children(token).map {
                    Member(key: document.unchecked(text: $0), value: JSON(document, $0 + 1))
                })
        }
    }

    subscript(key: String) -> JSON? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }
}
