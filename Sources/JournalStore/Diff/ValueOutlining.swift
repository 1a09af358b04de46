/// Takes a value apart to describe it.
struct ValueOutlining {
    /// The number of parts that may still be written.
    private var parts: Int
    private let textLimit: Int
    /// The objects that enclose the current part. An object inside itself is not written again.
    private var objects: [ObjectIdentifier] = []
    private var depth = 0

    private static let maximumDepth = 32
    private static let ellipsis = ValueOutline("…")

    /// - Parameters:
    ///   - parts: the maximum number of parts to write.
    ///   - textLimit: the maximum number of characters of a string.
    init(parts: Int, textLimit: Int) {
        self.parts = parts
        self.textLimit = textLimit
    }

    mutating func outline(_ value: Any) -> ValueOutline {
        parts -= 1
        guard parts >= 0, depth < Self.maximumDepth else { return Self.ellipsis }
        depth += 1
        defer { depth -= 1 }

        let value = ValueShape.unwrapped(value)
        guard type(of: value) is AnyClass else { return outline(value, ValueShape(of: value)) }
        let object = ObjectIdentifier(value as AnyObject)
        if objects.contains(object) { return ValueOutline("\(type(of: value))(…)") }
        objects.append(object)
        defer { objects.removeLast() }
        return outline(value, ValueShape(of: value))
    }

    private mutating func outline(_ value: Any, _ shape: ValueShape) -> ValueOutline {
        switch shape {
        case .leaf:
            return ValueOutline(LeafText.text(of: value, limit: textLimit))
        case .absent:
            return ValueOutline("nil")
        case .present(let content):
            // Optionals are written as their content, unless that content is nil itself.
            guard case .absent = ValueShape(of: content) else {
                parts += 1
                return outline(content)
            }
            return ValueOutline(".some(", [.init(nil, outline(content))], ")")
        case .payload(let name, let payload):
            if case .tuple(let fields) = ValueShape(of: payload), !fields.isEmpty {
                return ValueOutline(".\(name)(", items(fields), ")")
            }
            return ValueOutline(".\(name)(", [.init(nil, outline(payload))], ")")
        case .tuple(let fields):
            return ValueOutline("(", items(fields), ")")
        case .fields(let fields):
            return ValueOutline("\(type(of: value))(", items(fields), ")")
        case .list(let elements):
            return ValueOutline("[", items(elements.map { (nil, $0) }), "]")
        case .members(let members):
            return ValueOutline("[", items(sorted(members) { members[$0] }.map { (nil, $0.value) }), "]")
        case .entries(let entries):
            if entries.isEmpty { return ValueOutline("[:]") }
            let keys = sorted(entries.map(\.key)) { entries[$0].value }
            return ValueOutline("[", items(keys.map { ($0.text, entries[$0.index].value) }), "]")
        }
    }

    private mutating func items(_ fields: [ValueShape.Field]) -> [ValueOutline.Item] {
        items(fields.map { ($0.label, $0.value) })
    }

    /// Outlines as many parts as the limit allows.
    private mutating func items(_ all: [(label: String?, value: Any)]) -> [ValueOutline.Item] {
        var items: [ValueOutline.Item] = []
        for (label, value) in all {
            if parts <= 0 {
                items.append(.init(nil, ValueOutline("… \(all.count - items.count) more")))
                break
            }
            items.append(.init(label, outline(value)))
        }
        return items
    }

    /// The whole text of a value without parts; empty for others.
    private func wholeLeaf(_ value: Any) -> String {
        if case .leaf = ValueShape(of: value) { LeafText.text(of: value, limit: 1_000_000) } else { "" }
    }

    /// - Parameter rest: of values that are described alike, what their order depends on: it must not be that of a hash table.
    private func sorted(
        _ values: [Any], rest: (_ index: Int) -> Any
    ) -> [(index: Int, text: String, value: Any)] {
        values.enumerated()
            .map { (index: $0.offset, key: SortKey($0.element), value: $0.element) }
            .sorted { left, right in
                if left.key < right.key || right.key < left.key { return left.key < right.key }
                return wholeLeaf(rest(left.index)) < wholeLeaf(rest(right.index))
            }
            .map { ($0.index, $0.key.text, $0.value) }
    }
}
