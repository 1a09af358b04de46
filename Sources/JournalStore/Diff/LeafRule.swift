/// Decides which values are shown by their own description instead of their parts.
enum LeafRule {
    /// Whether the value has one of the most common types, which need no reflection.
    static func isPlain(_ value: Any) -> Bool {
        let type = type(of: value)
        return type == Int.self || type == String.self || type == Double.self || type == Bool.self
    }

    /// Whether a struct or an object is a leaf.
    ///
    /// A type with its own description and `==` is a leaf if it can be parsed from that description, if it wraps a
    /// single leaf (an ID, a time), or if it is a system type: `UUID`, `Date`, `URL`, `Data`, `Range`. System types are
    /// recognized by their module's name, so that this file does not import Foundation.
    static func isLeaf(_ value: Any, _ mirror: Mirror, _ fields: [ValueShape.Field]) -> Bool {
        let isDescribed = value is any CustomStringConvertible
        guard let first = fields.first else {
            // Functions and metatypes have no display style and no children; nor has an empty custom mirror.
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
