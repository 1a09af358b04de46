import JournalStore

/// A step in the list.
struct WalkRow: Hashable, Sendable {
    var step: Int
    var time: Timestamp
    var origin: Origin
    /// The action in a few words, safe for a terminal.
    var text: String

    /// No list is wider.
    private static let widest = 400

    init(_ entry: Entry) {
        step = entry.step
        time = entry.time
        origin = entry.origin
        text = DisplayWidth.clip(ShortAction.of(entry.action), to: WalkRow.widest)
    }
}

/// The part of a stream that is in memory: some hundred steps around the selected one.
///
/// The steps need not follow each other: a pruning can have left some for an effect that was running.
struct WalkWindow: Hashable, Sendable {
    var rows: [WalkRow] = []
    /// Whether there is nothing before the first row.
    var hasStart = true
    /// Whether there was nothing behind the last row.
    var hasEnd = true
    /// The selected row; of no meaning where there is none.
    var index = 0

    /// How many rows are read to each side of a step.
    static let reach = 256

    var selected: WalkRow? { rows.indices.contains(index) ? rows[index] : nil }

    /// Selects a step, or the next one that is there, or the last one.
    mutating func select(_ step: Int) {
        index = rows.firstIndex { $0.step >= step } ?? max(0, rows.count - 1)
    }

    /// Whether a step, or where it would be, is in this part.
    func covers(_ step: Int) -> Bool {
        guard let first = rows.first, let last = rows.last else { return false }
        return (hasStart || first.step <= step) && step <= last.step
    }

    /// Whether so many rows to each side of the selected one are there, as far as the stream has them.
    func isEnough(_ margin: Int) -> Bool {
        (hasStart || index >= margin) && (hasEnd || rows.count - index > margin)
    }
}
