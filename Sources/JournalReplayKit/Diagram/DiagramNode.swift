/// The node of a state in a diagram: the case of an enum, or a short value.
enum DiagramNode {
    private static let longest = 60

    /// The node of the value at a path; nil if it is an object or a list, of which there are too many.
    ///
    /// `Codable` encodes a case with associated values as an object with one key, whose value is an object.
    static func name(of value: JSON) -> String? {
        switch value {
        case .text(let text): String(text.prefix(longest))
        case .object(let members) where members.count == 1:
            if case .object = members[0].value { members[0].key } else { nil }
        case .object, .list: nil
        case .null: "none"
        case .bool, .number, .raw: String(value.json.prefix(longest))
        }
    }
}
