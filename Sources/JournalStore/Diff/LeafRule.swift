/// Which values are shown by their own description, and not by their parts.
enum LeafRule {
    /// Whether it is of one of the types that are everywhere: known without a look inside.
    static func isPlain(_ value: Any) -> Bool {
        let type = type(of: value)
        return type == Int.self || type == String.self || type == Double.self || type == Bool.self
    }

    /// Whether a struct or an object is a leaf.
    ///
    /// A type with a description of its own and with `==` is one if it can be read back from that description, if it
    /// wraps a single leaf (an ID, a moment), or if it comes from the system: `UUID`, `Date`, `URL`, `Data`, `Range`.
    /// Those are known by the name of their module, so that Foundation need not be there.
    static func isLeaf(_ value: Any, _ mirror: Mirror, _ fields: [ValueShape.Field]) -> Bool {
        let isDescribed = value is any CustomStringConvertible
        guard let first = fields.first else {
            // A function and a type have neither kind nor parts; nor has what a mirror of its own hides.
            return isDescribed || mirror.displayStyle == nil && !(value is any CustomReflectable)
        }
        guard isDescribed, value is any Equatable else { return false }
        return value is any LosslessStringConvertible || isFromSystem(type(of: value))
            || fields.count == 1 && isLeaf(first.value)
    }

    private static func isLeaf(_ value: Any) -> Bool {
        if case .leaf = ValueShape(of: value) { !(type(of: value) is AnyClass) } else { false }
    }

    private static let systemModules: Set<Substring> = [
        "Swift", "_Concurrency", "Foundation", "FoundationEssentials", "FoundationInternationalization",
        "CoreFoundation", "System", "SystemPackage", "Dispatch",
    ]

    private static func isFromSystem(_ type: Any.Type) -> Bool {
        systemModules.contains(String(reflecting: type).prefix { $0 != "." })
    }
}
