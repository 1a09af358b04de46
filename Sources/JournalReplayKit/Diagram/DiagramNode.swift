/// The node of a state in a diagram: the case of an enum, or a short value.
enum DiagramNode {
    /// The node of the value at a path; nil if it is an object or a list, of which there are too many.
    ///
    /// `Codable` encodes a case with associated values as an object with one key, whose value is an object.
    static func name(of value: JSON) -> String? {
        switch value {
        case .text(let text): text
        case .object(let members) where members.count == 1:
            if case .object = members[0].value { members[0].key } else { nil }
        case .object, .list: nil
        case .null: "none"
        case .bool, .number, .raw: value.json
        }
    }
}

/// What a drawing shows of the names of its nodes: the beginning of a long one. Two names have two labels.
struct DiagramLabels {
    private static let longest = 60
    private var names: [String: String] = [:]

    mutating func label(of name: String) -> String {
        let short = name.count > DiagramLabels.longest ? name.prefix(DiagramLabels.longest) + "…" : name
        var (label, number) = (short, 1)
        while let other = names[label], other != name {
            number += 1
            label = "\(short) (\(number))"
        }
        names[label] = name
        return SafeText.escape(label)
    }
}
