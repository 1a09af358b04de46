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

    /// The uses of the names in one path.
    private struct Names {
        private var taken: [String: Int] = [:]
        private var givenBack: [String: Set<Int>] = [:]

        mutating func take(_ name: String) -> Int {
            if let lowest = givenBack[name]?.min() {
                givenBack[name]?.remove(lowest)
                return lowest
            }
            let use = (taken[name] ?? 0) + 1
            taken[name] = use
            return use
        }

        mutating func giveBack(_ name: String, _ use: Int) { givenBack[name, default: []].insert(use) }
    }

    private var names = StepTree<Names>()

    /// Takes the next use of a name.
    mutating func take(_ name: String, in path: String) -> Key {
        Key(path: path, name: name, use: names.change(path, default: Names()) { $0.take(name) })
    }

    /// Frees a use that threw, so that the next use of the name takes its number. A body that retries a step then gets
    /// the same numbers as after a restart, when the step succeeds at once.
    mutating func giveBack(_ key: Key) {
        names.change(key.path, default: Names()) { $0.giveBack(key.name, key.use) }
        // Nested steps are numbered from the start again.
        names.drop(key.inside)
    }
}
