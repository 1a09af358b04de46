/// Numbers the uses of step names within one attempt of a body, without I/O.
///
/// A step is identified by the steps that enclose it, its name, and n if it is the n-th use of that name. So steps that
/// run concurrently may finish in any order if their names differ.
struct StepUses {
    struct Key: Hashable {
        /// The enclosing steps, each with its use number, as a JSON pointer: `/order/1/item/2`.
        var path: String
        var name: String
        var use: Int

        /// The path of the steps nested in this one.
        var inside: String {
            let escaped = name.replacing("~", with: "~0").replacing("/", with: "~1")
            return "\(path)/\(escaped)/\(use)"
        }
    }

    private struct Name: Hashable {
        var path: String
        var name: String
    }

    private var taken: [Name: Int] = [:]
    private var givenBack: [Name: Set<Int>] = [:]

    /// Takes the next use of a name.
    mutating func take(_ name: String, in path: String) -> Key {
        let place = Name(path: path, name: name)
        if let lowest = givenBack[place]?.min() {
            givenBack[place]?.remove(lowest)
            return Key(path: path, name: name, use: lowest)
        }
        let use = (taken[place] ?? 0) + 1
        taken[place] = use
        return Key(path: path, name: name, use: use)
    }

    /// Frees a use that threw, so that the next use of the name takes its number. A body that retries a step then gets
    /// the same numbers as after a restart, when the step succeeds at once.
    mutating func giveBack(_ key: Key) {
        givenBack[Name(path: key.path, name: key.name), default: []].insert(key.use)
        // Nested steps are numbered from the start again.
        let inside = key.inside
        taken = taken.filter { $0.key.path != inside && !$0.key.path.hasPrefix(inside + "/") }
        givenBack = givenBack.filter { $0.key.path != inside && !$0.key.path.hasPrefix(inside + "/") }
    }
}
