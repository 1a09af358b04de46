import JournalStore

/// A step in the list.
struct WalkRow: Hashable, Sendable {
    var step: Int
    var time: Timestamp
    var origin: Origin
    /// The short form of the action, escaped for a terminal.
    var text: String
    var outcome: StepOutcome
    /// Whether the entry is not as it was written.
    var isDamaged: Bool

    /// The largest width of a list.
    private static let widest = 400

    init(_ entry: Entry, _ outcome: StepOutcome, isDamaged: Bool = false) {
        (self.outcome, self.isDamaged) = (outcome, isDamaged)
        step = entry.step
        time = entry.time
        origin = entry.origin
        text = DisplayWidth.clip(ShortAction.of(entry.action), to: WalkRow.widest)
    }
}

/// The part of a stream that is in memory: a few hundred steps around the selected one.
///
/// The steps can have gaps: pruning can keep single entries that a live effect needs.
struct WalkWindow: Hashable, Sendable {
    var rows: [WalkRow] = []
    /// Whether the stream has no entry before the first row.
    var hasStart = true
    /// Whether the stream had no entry after the last row when it was read.
    var hasEnd = true
    /// Whether steps among the rows, or next to them, are damaged or missing.
    var isDamaged = false
    /// The newest step that was pruned.
    var pruned = 0
    /// The index of the selected row; without meaning if there are no rows.
    var index = 0

    /// The number of rows that are read on each side of a step.
    static let reach = 256

    var selected: WalkRow? { rows.indices.contains(index) ? rows[index] : nil }

    /// Selects a step; if it is missing, the next one, or the last one.
    mutating func select(_ step: Int) {
        index = rows.firstIndex { $0.step >= step } ?? max(0, rows.count - 1)
    }

    /// Whether the window includes a step, or the place where it would be.
    func covers(_ step: Int) -> Bool {
        guard let first = rows.first, let last = rows.last else { return false }
        return (hasStart || first.step <= step) && step <= last.step
    }

    /// Whether the window has `margin` rows on each side of the selected one, as far as the stream has them.
    func isEnough(_ margin: Int) -> Bool {
        (hasStart || index >= margin) && (hasEnd || rows.count - index > margin)
    }
}
