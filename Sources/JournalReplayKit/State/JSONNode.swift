/// A parsed JSON value, in which a path can select a part.
indirect enum JSONNode: Hashable, Sendable {
    struct Member: Hashable, Sendable {
        var key: String
        var value: JSONNode
    }

    case null
    case bool(Bool)
    /// The number as it is written, so that no digit is lost.
    case number(String)
    case text(String)
    case list([JSONNode])
    case object([Member])

    /// Parses a text; nil if it is not JSON.
    init?(_ text: String) {
        // `NodeReader` needs valid JSON without whitespace.
        guard let compact = StoredJSON.compact(text) else { return nil }
        var reader = NodeReader(rest: compact.utf8[...])
        self = reader.value()
    }

    subscript(key: String) -> JSONNode? {
        guard case .object(let members) = self else { return nil }
        return members.first { $0.key == key }?.value
    }

    /// The value in the form that the output writes, on one line.
    var json: JSON {
        switch self {
        case .null: .null
        case .bool(let value): .bool(value)
        case .number(let digits): .raw(digits)
        case .text(let text): .text(text)
        case .list(let values): .list(values.map(\.json))
        case .object(let members): .object(members.map { JSON.Member(key: $0.key, value: $0.value.json) })
        }
    }

    var text: String {
        var bytes: [UInt8] = []
        json.write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Parses JSON that is known to be valid.
private struct NodeReader {
    var rest: Substring.UTF8View

    mutating func value() -> JSONNode {
        switch rest.first.map({ Unicode.Scalar($0) }) {
        case "{":
            return .object(
                members("}") { reader in
                    let key = reader.string()
                    reader.rest.removeFirst()
                    return JSONNode.Member(key: key, value: reader.value())
                })
        case "[": return .list(members("]") { $0.value() })
        case "\"": return .text(string())
        case "t": return word("true", .bool(true))
        case "f": return word("false", .bool(false))
        case "n": return word("null", .null)
        default:
            let digits = rest.prefix { !",]}".utf8.contains($0) }
            rest = rest.dropFirst(digits.count)
            return .number(String(Substring(digits)))
        }
    }

    private mutating func members<Member>(
        _ end: Unicode.Scalar, _ member: (inout NodeReader) -> Member
    ) -> [Member] {
        rest.removeFirst()
        var found: [Member] = []
        while let byte = rest.first, byte != UInt8(ascii: end) {
            found.append(member(&self))
            if rest.first == UInt8(ascii: ",") { rest.removeFirst() }
        }
        _ = rest.popFirst()
        return found
    }

    private mutating func word(_ word: String, _ value: JSONNode) -> JSONNode {
        rest = rest.dropFirst(word.utf8.count)
        return value
    }

    private mutating func string() -> String {
        JSONText.first(in: &rest) ?? ""
    }
}
