/// The path from a whole value to one of its parts.
struct ValuePath {
    enum Step {
        /// A field of a struct, a class or a tuple, or the case of an enum.
        case field(String)
        case index(Int)
        /// A key, as it is described.
        case key(String)
        /// A member of a set.
        case member
    }

    private(set) var steps: [Step] = []

    mutating func append(_ step: Step) {
        steps.append(step)
    }

    mutating func removeLast() {
        steps.removeLast()
    }

    var text: String {
        var text = ""
        for step in steps {
            switch step {
            case .field(let name): text += text.isEmpty ? name : ".\(name)"
            case .index(let index): text += "[\(index)]"
            case .key(let key): text += "[\(key)]"
            case .member: text += "[]"
            }
        }
        return text
    }
}
