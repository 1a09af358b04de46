/// The structure of a value: the parts by which it is compared and described.
enum ValueShape {
    /// No parts, or parts that add nothing to the value's own description.
    case leaf
    /// An optional that is nil.
    case absent
    /// An optional that has a value.
    case present(Any)
    /// An enum case with a payload.
    case payload(name: String, Any)
    /// A struct or an object.
    case fields([Field])
    case tuple([Field])
    case list([Any])
    case entries([(key: Any, value: Any)])
    case members([Any])

    struct Field {
        /// The label before the value, `price:`; nil for an unlabelled tuple element.
        var label: String?
        /// The name in a path.
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

    /// The value in an `AnyHashable`; any other value as it is.
    static func unwrapped(_ value: Any) -> Any {
        type(of: value) == AnyHashable.self ? (value as? AnyHashable)?.base ?? value : value
    }

    /// The children of a mirror, those of superclasses first.
    static func fields(of mirror: Mirror) -> [Field] {
        let inherited = mirror.superclassMirror.map { fields(of: $0) } ?? []
        return inherited
            + mirror.children.enumerated().map { index, child in
                // A mirror labels an unlabelled tuple element `.0`, and a lazy property by its storage.
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
