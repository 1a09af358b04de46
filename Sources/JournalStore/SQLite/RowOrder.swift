/// The order of the rows of a page.
///
/// In a damaged tree, SQLite can find the same rows after any key. A reader that goes on after the last row of a page
/// would never end.
enum RowOrder {
    /// Throws unless each key comes after the one before.
    ///
    /// - Parameters:
    ///   - keys: the key after which the page begins, then those of its rows.
    ///   - rows: what the rows are, and what their keys.
    ///   - isBefore: whether a key comes before another one.
    static func check<Key>(
        _ keys: [Key], of rows: (name: String, keys: String), _ isBefore: (Key, Key) -> Bool
    ) throws(DatabaseError) {
        for (key, next) in zip(keys, keys.dropFirst()) where !isBefore(key, next) {
            throw .damagedRow("the \(rows.name) are not in the order of their \(rows.keys)")
        }
    }

    /// The same for rows with a number.
    static func check(
        _ numbers: [some Comparable], of rows: (name: String, keys: String), backwards: Bool = false
    ) throws(DatabaseError) {
        try check(numbers, of: rows) { backwards ? $0 > $1 : $0 < $1 }
    }

    /// The same for effects.
    ///
    /// - Parameter place: the step and the ordinal after which the page begins.
    static func check(_ runs: [EffectRun], after place: (step: Int, ordinal: Int)) throws(DatabaseError) {
        try check([place] + runs.map { ($0.step, $0.ordinal) }, of: ("effects", "steps")) { $0 < $1 }
    }
}
