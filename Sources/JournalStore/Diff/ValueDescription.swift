/// A value written like a Swift initializer: on one line if it fits, else indented.
///
/// The same value always gives the same text: dictionary keys and set members are sorted. System types such as `Date`
/// and `UUID`, and other types with a complete description, are written with that description. Parts that are too deep
/// or too many are replaced by an ellipsis.
public struct ValueDescription: Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public var description: String

    /// Describes a value.
    ///
    /// - Parameters:
    ///   - value: the value to describe.
    ///   - width: the line length above which a line is broken if possible.
    public init<Value>(of value: Value, width: Int = 100) {
        var outlining = ValueOutlining(parts: 20_000, textLimit: 2_000)
        // From the smallest numbers nothing can be subtracted.
        description = outlining.outline(value).text(width: max(0, width))
    }

    /// The limits for a part in a diff.
    private static let briefParts = 200
    private static let briefTextLimit = 80
    private static let briefWidth = 80

    static func brief(_ value: Any) -> String {
        var outlining = ValueOutlining(parts: briefParts, textLimit: briefTextLimit)
        return outlining.outline(value).text(width: briefWidth)
    }

    /// Describes a dictionary key: on one line, and long enough to distinguish it from the others.
    static func key(_ value: Any) -> String {
        var outlining = ValueOutlining(parts: briefParts, textLimit: 1_000)
        return outlining.outline(value).text(width: .max)
    }

    /// Describes two different parts so that both texts show the difference.
    static func brief(_ old: Any?, _ new: Any?) -> (old: String?, new: String?) {
        guard let old, let new else { return (old.map { brief($0) }, new.map { brief($0) }) }
        if case .leaf = ValueShape(of: old), case .leaf = ValueShape(of: new) {
            let texts = LeafText.texts(of: old, new, limit: briefTextLimit)
            return named(texts.old, texts.new, old, new)
        }
        return named(brief(old), brief(new), old, new)
    }

    /// Appends the types if nothing else distinguishes the texts.
    private static func named(_ oldText: String, _ newText: String, _ old: Any, _ new: Any) -> (String?, String?) {
        if oldText != newText || type(of: old) == type(of: new) { return (oldText, newText) }
        return ("\(oldText) as \(type(of: old))", "\(newText) as \(type(of: new))")
    }
}
