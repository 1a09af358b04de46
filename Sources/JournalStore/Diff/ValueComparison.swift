/// Compares two values part by part.
struct ValueComparison {
    private(set) var changes: [ValueDiff.Change] = []
    /// The number of differences found.
    private(set) var found = 0
    /// How often two parts were treated as equal although `==` may not: NaN, or a pair of objects compared before.
    var excuses = 0

    /// Whether to stop at the first difference.
    let stopsAtFirst: Bool
    private(set) var path = ValuePath()
    /// Where the first difference is.
    private(set) var firstPath: ValuePath?
    private var depth: Int
    private var seen: [ObjectPair: (AnyObject, AnyObject)] = [:]

    /// Parts deeper than this are not taken apart, but compared by `==` or by their descriptions.
    static let maximumDepth = 48

    init(stopsAtFirst: Bool = false, depth: Int = 0) {
        self.stopsAtFirst = stopsAtFirst
        self.depth = depth
    }

    var isDone: Bool { stopsAtFirst && found > 0 }

    mutating func compare(_ old: Any, _ new: Any, at part: ValuePath.Part? = nil) {
        if isDone { return }
        if let part { path.append(part) }
        depth += 1
        compareParts(ValueShape.unwrapped(old), ValueShape.unwrapped(new))
        depth -= 1
        if part != nil { path.removeLast() }
    }

    private mutating func compareParts(_ old: Any, _ new: Any) {
        guard type(of: old) == type(of: new) else { return report(old, new) }
        if isSettled(old, new) { return }
        let equal = ValueEquality.areEqual(old, new)
        if equal == true { return }
        if ValueEquality.areNaN(old, new) {
            excuses += 1
            return
        }
        let before = (found, excuses)
        if depth > Self.maximumDepth {
            if ValueDescription.brief(old) != ValueDescription.brief(new) { report(old, new) }
        } else {
            compare(ValueShape(of: old), ValueShape(of: new), of: old, new)
        }
        // `==` says that the values differ, but no visible part does.
        if equal == false, before == (found, excuses) { report(old, new) }
    }

    private mutating func compare(_ oldShape: ValueShape, _ newShape: ValueShape, of old: Any, _ new: Any) {
        switch (oldShape, newShape) {
        case (.absent, .absent):
            break
        case (.present(let old), .present(let new)):
            compare(old, new)
        case (.fields(let old), .fields(let new)), (.tuple(let old), .tuple(let new)):
            compare(old, new)
        case (.payload(let oldName, let old), .payload(let newName, let new)) where oldName == newName:
            compare(old, new, at: .field(oldName))
        case (.list(let old), .list(let new)):
            compare(lists: old, new)
        case (.entries(let old), .entries(let new)):
            compare(entries: old, new)
        case (.members(let old), .members(let new)):
            compare(members: old, new)
        case (.leaf, .leaf):
            // For example, a date's description omits fractions of a second; its fields show them.
            if !LeafText.areAlike(old, new) { return report(old, new) }
            compare(ValueShape.fields(of: Mirror(reflecting: old)), ValueShape.fields(of: Mirror(reflecting: new)))
        default:
            report(old, new)
        }
    }

    /// Matches fields by name, because a custom mirror may omit some.
    private mutating func compare(_ old: [ValueShape.Field], _ new: [ValueShape.Field]) {
        if old.map(\.name) == new.map(\.name) {
            for (old, new) in zip(old, new) { compare(old.value, new.value, at: .field(old.name)) }
            return
        }
        for field in old {
            if let other = new.first(where: { $0.name == field.name }) {
                compare(field.value, other.value, at: .field(field.name))
            } else {
                report(field.value, nil, at: .field(field.name))
            }
        }
        for field in new where !old.contains(where: { $0.name == field.name }) {
            report(nil, field.value, at: .field(field.name))
        }
    }

    /// Whether the objects are identical or were compared before, in which case the walk would not end.
    private mutating func isSettled(_ old: Any, _ new: Any) -> Bool {
        guard type(of: old) is AnyClass else { return false }
        let (old, new) = (old as AnyObject, new as AnyObject)
        if old === new { return true }
        // Retained, so that their addresses are not reused.
        guard seen.updateValue((old, new), forKey: ObjectPair(old, new)) == nil else {
            excuses += 1
            return true
        }
        return false
    }

    /// Reports a part that differs or that exists on one side only.
    mutating func report(_ old: Any?, _ new: Any?, at part: ValuePath.Part? = nil) {
        if isDone { return }
        found += 1
        var path = path
        if let part { path.append(part) }
        if found == 1 { firstPath = path }
        if stopsAtFirst { return }
        let texts = ValueDescription.brief(old, new)
        changes.append(ValueDiff.Change(path: path.text, old: texts.old, new: texts.new))
    }

    /// Whether two parts are the same, starting at the current depth.
    mutating func areSame(_ old: Any, _ new: Any) -> Bool {
        var comparison = ValueComparison(stopsAtFirst: true, depth: depth)
        comparison.compare(old, new)
        if comparison.found > 0 { return false }
        excuses += comparison.excuses
        return true
    }
}

/// A pair of compared objects.
private struct ObjectPair: Hashable {
    var old: ObjectIdentifier
    var new: ObjectIdentifier

    init(_ old: AnyObject, _ new: AnyObject) {
        self.old = ObjectIdentifier(old)
        self.new = ObjectIdentifier(new)
    }
}
