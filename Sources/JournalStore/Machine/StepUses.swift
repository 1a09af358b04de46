/// Which use of a step's name is which, inside one try of a body: a rule without a journal.
///
/// A step is known by the steps around it, its name, and the how-manieth use of that name it is. So steps that run at the same time
/// may finish in any order, as long as they have names of their own.
struct StepUses {
    struct Key: Hashable {
        /// The steps around it, each with its number, as a JSON pointer: `/order/1/item/2`.
        var path: String
        var name: String
        var use: Int

        /// The path of the steps inside this one.
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

    /// The next use of a name.
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

    /// A use that threw does not count: the next one takes its number, so that a body that tries again finds the same numbers after a
    /// restart, where it need not try again.
    mutating func giveBack(_ key: Key) {
        givenBack[Name(path: key.path, name: key.name), default: []].insert(key.use)
        // The steps inside it begin anew.
        let inside = key.inside
        taken = taken.filter { $0.key.path != inside && !$0.key.path.hasPrefix(inside + "/") }
        givenBack = givenBack.filter { $0.key.path != inside && !$0.key.path.hasPrefix(inside + "/") }
    }
}
