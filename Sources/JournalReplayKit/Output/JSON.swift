/// A JSON value that the tool writes. The keys of an object keep their order.
enum JSON: Hashable, Sendable {
    case null
    case bool(Bool)
    case number(Int64)
    case text(String)
    /// Encoded JSON, on one line.
    case raw(String)
    case list([JSON])
    case object([Member])

    struct Member: Hashable, Sendable {
        var key: String
        var value: JSON
    }

    static func number(_ value: Int) -> JSON { .number(Int64(value)) }
    static func number(_ value: Int?) -> JSON { value.map { .number(Int64($0)) } ?? .null }
    static func text(_ value: String?) -> JSON { value.map { .text($0) } ?? .null }

    /// The value for people: a text has no quotes, null is empty.
    var plain: String {
        switch self {
        case .null: return ""
        case .text(let text): return text
        default:
            var bytes: [UInt8] = []
            write(to: &bytes)
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    func write(to bytes: inout [UInt8]) {
        switch self {
        case .null: bytes.append(contentsOf: "null".utf8)
        case .bool(let value): bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .number(let value): bytes.append(contentsOf: String(value).utf8)
        case .text(let text): JSON.write(text, to: &bytes)
        case .raw(let json): bytes.append(contentsOf: json.utf8)
        case .list(let values):
            bytes.append(UInt8(ascii: "["))
            for (index, value) in values.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                JSON.write(member.key, to: &bytes)
                bytes.append(UInt8(ascii: ":"))
                member.value.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ text: String, to bytes: inout [UInt8]) {
        var text = text
        bytes.append(UInt8(ascii: "\""))
        defer { bytes.append(UInt8(ascii: "\"")) }
        let isPlain = text.withUTF8 { buffer in
            let isPlain = buffer.allSatisfy { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C }
            if isPlain { bytes.append(contentsOf: buffer) }
            return isPlain
        }
        guard !isPlain else { return }
        var quoted = ""
        for scalar in text.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
            quoted.unicodeScalars.append(scalar)
        }
        bytes.append(contentsOf: SafeText.escape(quoted).utf8)
    }
}
