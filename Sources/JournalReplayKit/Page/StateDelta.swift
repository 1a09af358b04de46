import JournalStore

/// The difference between two states as the page applies it: a list of operations.
///
/// | operation | meaning |
/// |---|---|
/// | `[path, value]` | set a member, or an element of a list; the element after the last is appended |
/// | `[path]` | remove a member |
/// | `[path, null, length]` | shorten a list |
///
/// An empty path is the whole state. Texts and keys are compared by their bytes, as the page does.
struct StateDelta {
    private(set) var operations: [JSON] = []

    init(from old: JSON, to new: JSON) {
        compare(old, new, [])
    }

    private mutating func compare(_ old: JSON, _ new: JSON, _ way: [JSON]) {
        switch (old, new) {
        case _ where StateDelta.isSame(old, new): return
        case (.object(let before), .object(let after)) where StateDelta.isPlain(before) && StateDelta.isPlain(after):
            let known = Dictionary(uniqueKeysWithValues: before.map { (ByteName($0.key), $0.value) })
            let left = Set(known.keys).subtracting(after.map { ByteName($0.key) })
            for member in before where left.contains(ByteName(member.key)) {
                operations.append(.list([.list(way + [.text(member.key)])]))
            }
            for member in after {
                let place = way + [.text(member.key)]
                if let value = known[ByteName(member.key)] {
                    compare(value, member.value, place)
                } else {
                    set(place, member.value)
                }
            }
        case (.list(let before), .list(let after)):
            if after.count < before.count { operations.append(.list([.list(way), .null, .number(after.count)])) }
            for (index, element) in after.enumerated() {
                let place = way + [.number(index)]
                if index < before.count { compare(before[index], element, place) } else { set(place, element) }
            }
        default: set(way, new)
        }
    }

    private mutating func set(_ way: [JSON], _ value: JSON) {
        operations.append(.list([.list(way), value]))
    }

    /// Whether each key occurs once; a path could not name the second one.
    private static func isPlain(_ members: [JSON.Member]) -> Bool {
        Set(members.map { ByteName($0.key) }).count == members.count
    }

    private static func isSame(_ old: JSON, _ new: JSON) -> Bool {
        switch (old, new) {
        case (.text(let old), .text(let new)): old.utf8.elementsEqual(new.utf8)
        case (.list(let old), .list(let new)): old.count == new.count && zip(old, new).allSatisfy { isSame($0, $1) }
        case (.object(let old), .object(let new)):
            old.count == new.count
                && zip(old, new).allSatisfy { $0.key.utf8.elementsEqual($1.key.utf8) && isSame($0.value, $1.value) }
        default: old == new
        }
    }
}
