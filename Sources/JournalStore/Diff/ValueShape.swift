/// What a value looks like from outside: the parts by which it is compared and shown.
enum ValueShape {
    /// It has no parts, or none that say more than its own description.
    case leaf
    /// An optional without a value.
    case absent
    /// An optional with one.
    case present(Any)
    /// A case of an enum that holds something.
    case payload(name: String, Any)
    /// A struct or an object.
    case fields([Field])
    case tuple([Field])
    case list([Any])
    case entries([(key: Any, value: Any)])
    case members([Any])

    struct Field {
        /// What stands before its value, `price:`. Nil for an element of a tuple without one.
        var label: String?
        /// What stands in a path.
        var name: String
        var value: Any
    }

    init(of value: Any) {
        if LeafRule.isPlain(value) {
            self = .leaf
            return
        }
        let mirror = Mirror(reflecting: value)
        switch mirror.displayStyle {
        case .optional:
            self = mirror.children.first.map { .present($0.value) } ?? .absent
        case .tuple:
            self = .tuple(Self.fields(of: mirror))
        case .collection:
            self = .list(mirror.children.map(\.value))
        case .set:
            self = .members(mirror.children.map(\.value))
        case .dictionary:
            self = .entries(mirror.children.compactMap { Self.entry($0.value) })
        case .enum:
            self = mirror.children.first.map { .payload(name: $0.label ?? "", $0.value) } ?? .leaf
        default:
            let fields = Self.fields(of: mirror)
            self = LeafRule.isLeaf(value, mirror, fields) ? .leaf : .fields(fields)
        }
    }

    /// The fields that a mirror shows, those of the superclasses first.
    static func fields(of mirror: Mirror) -> [Field] {
        let inherited = mirror.superclassMirror.map { fields(of: $0) } ?? []
        return inherited
            + mirror.children.enumerated().map { index, child in
                // An element of a tuple without a label is called `.0`, a lazy property by its storage.
                guard let label = child.label, !label.hasPrefix(".") else {
                    return Field(label: nil, name: String(index), value: child.value)
                }
                let lazy = "$__lazy_storage_$_"
                let name = label.hasPrefix(lazy) ? String(label.dropFirst(lazy.count)) : label
                return Field(label: name, name: name, value: child.value)
            }
    }

    private static func entry(_ pair: Any) -> (key: Any, value: Any)? {
        let parts = Array(Mirror(reflecting: pair).children)
        return parts.count == 2 ? (parts[0].value, parts[1].value) : nil
    }
}
