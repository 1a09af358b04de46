/// A value written like a Swift initializer: on one line if it fits, else indented.
///
/// The same value always gives the same text: the keys of a dictionary and the members of a set are sorted. Values of
/// the system such as `Date` and `UUID`, and others whose description says it all, are written as they describe
/// themselves. What goes too deep or is too much is an ellipsis.
public struct ValueDescription: Sendable, Hashable, CustomStringConvertible {
    /// The text.
    public var description: String

    /// Describes a value.
    ///
    /// - Parameters:
    ///   - value: what to describe.
    ///   - width: how long a line may be before it is broken, where it can be.
    public init<Value>(of value: Value, width: Int = 100) {
        var outlining = ValueOutlining(parts: 20_000, textLimit: 2_000)
        description = outlining.outline(value).text(width: width)
    }

    /// What is written about a part in a diff.
    private static let briefParts = 200
    private static let briefTextLimit = 80
    private static let briefWidth = 80

    static func brief(_ value: Any) -> String {
        var outlining = ValueOutlining(parts: briefParts, textLimit: briefTextLimit)
        return outlining.outline(value).text(width: briefWidth)
    }

    /// A key of a dictionary: on one line, and long enough to tell it from the others.
    static func key(_ value: Any) -> String {
        var outlining = ValueOutlining(parts: briefParts, textLimit: 1_000)
        return outlining.outline(value).text(width: .max)
    }

    /// Two parts that differ, each so that the difference is to be seen.
    static func brief(_ old: Any?, _ new: Any?) -> (old: String?, new: String?) {
        guard let old, let new else { return (old.map { brief($0) }, new.map { brief($0) }) }
        if case .leaf = ValueShape(of: old), case .leaf = ValueShape(of: new) {
            let texts = LeafText.texts(of: old, new, limit: briefTextLimit)
            return named(texts.old, texts.new, old, new)
        }
        return named(brief(old), brief(new), old, new)
    }

    /// With the types, if nothing else tells them apart.
    private static func named(_ oldText: String, _ newText: String, _ old: Any, _ new: Any) -> (String?, String?) {
        if oldText != newText || type(of: old) == type(of: new) { return (oldText, newText) }
        return ("\(oldText) as \(type(of: old))", "\(newText) as \(type(of: new))")
    }
}
