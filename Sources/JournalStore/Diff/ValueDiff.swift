/// The differences between two values, part by part: what a reducer changed in a state.
///
/// Both values are taken apart by reflection. Parts that are equal by their own `==` are not inspected further; parts
/// that are unequal by it always give a change. NaN equals NaN everywhere. Objects are compared by their fields, once
/// for each pair of objects.
///
/// ```swift
/// print(ValueDiff(from: old, to: new))
/// // items[2].price: 3 → 4
/// // + tags[]: "gift"
/// ```
///
/// Closures and objects without fields cannot be compared, because reflection does not show their contents. Parts that
/// are nested more than 48 levels deep are compared by `==`; those without it only by their descriptions, which show
/// no more than the next 32 levels.
public struct ValueDiff: Sendable, Hashable {
    /// One part that differs.
    public struct Change: Sendable, Hashable, Codable {
        /// Where it is: `items[2].price`, `users["ann"].age`, `payment.pending.since`. Empty for the whole value.
        ///
        /// An index refers to the new list, that of a removed element to the old one. A member of a set is at `tags[]`.
        public var path: String

        /// The part before, as ``ValueDescription`` shows it; nil if it did not exist.
        public var old: String?

        /// The part afterwards, as ``ValueDescription`` shows it; nil if it no longer exists.
        public var new: String?

        /// Creates a change from its parts.
        public init(path: String, old: String?, new: String?) {
            (self.path, self.old, self.new) = (path, old, new)
        }
    }

    /// The parts that differ, in the order of the fields; dictionary entries and set members are sorted by their text.
    public var changes: [Change]

    /// Compares two values.
    public init<Value>(from old: Value, to new: Value) {
        var comparison = ValueComparison()
        comparison.compare(old, new)
        changes = comparison.changes
    }

    /// Where two values differ first, without the keys of dictionaries; empty if nowhere, or not in a part of them.
    static func firstPlace(from old: Any, to new: Any) -> String {
        var comparison = ValueComparison()
        comparison.compare(old, new)
        return comparison.firstPath?.textWithoutKeys ?? ""
    }

    /// Whether the values have no differences.
    public var isEmpty: Bool { changes.isEmpty }
}
