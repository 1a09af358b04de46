/// The path from a whole value to one of its parts.
struct ValuePath {
    enum Part {
        /// A field of a struct, a class or a tuple, or the case of an enum.
        case field(String)
        case index(Int)
        /// A key, as it is described.
        case key(String)
        /// A member of a set.
        case member
    }

    private(set) var parts: [Part] = []

    mutating func append(_ part: Part) {
        parts.append(part)
    }

    mutating func removeLast() {
        parts.removeLast()
    }

    var text: String { text(showsKeys: true) }

    /// The path without the keys of dictionaries, which are stored data: `users[<key>].age`.
    var textWithoutKeys: String { text(showsKeys: false) }

    private func text(showsKeys: Bool) -> String {
        var text = ""
        for part in parts {
            switch part {
            case .field(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += showsKeys ? "[\(key)]" : "[<key>]"
            case .member: text += "[]"
            }
        }
        return text
    }
}
