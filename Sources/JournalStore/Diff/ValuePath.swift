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

    var text: String {
        var text = ""
        for part in parts {
            switch part {
            case .field(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += "[\(key)]"
            case .member: text += "[]"
            }
        }
        return text
    }
}
