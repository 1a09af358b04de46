/// How one value differs from another, part by part: what a reducer did to a state.
///
/// Both values are taken apart by reflection. Two parts that their own `==` calls equal are not looked into; parts that
/// it calls unequal always give a change. NaN is the same as NaN, wherever it stands. An object is compared by its
/// fields, once for each pair of objects.
///
/// ```swift
/// print(ValueDiff(from: old, to: new))
/// // items[2].price: 3 → 4
/// // + tags[]: "gift"
/// ```
///
/// What cannot be seen by reflection cannot be compared: closures, and objects without fields.
public struct ValueDiff: Sendable, Hashable {
    /// One part that differs.
    public struct Change: Sendable, Hashable, Codable {
        /// Where it is: `items[2].price`, `users["ann"].age`, `payment.pending.since`. Empty for the whole value.
        ///
        /// An index counts in the new list, that of a removed element in the old one. A member of a set is at `tags[]`.
        public var path: String

        /// The part before, as ``ValueDescription`` shows it. Nil if it was not there.
        public var old: String?

        /// The part afterwards, as ``ValueDescription`` shows it. Nil if it is not there any more.
        public var new: String?

        /// Makes a change from its parts.
        public init(path: String, old: String?, new: String?) {
            self.path = path
            self.old = old
            self.new = new
        }
    }

    /// The parts that differ, in the order of the fields; entries of a dictionary and members of a set by their text.
    public var changes: [Change]

    /// Compares two values.
    public init<Value>(from old: Value, to new: Value) {
        var comparison = ValueComparison()
        comparison.compare(old, new)
        changes = comparison.changes
    }

    /// Whether nothing differs.
    public var isEmpty: Bool {
        changes.isEmpty
    }
}
