/// The widths of a list's columns. They only grow as rows arrive; rows that are already written stay as they are.
struct Layout: Hashable, Sendable {
    private let titles: [String]
    private let areNumbers: [Bool]
    private var widths: [Int]

    /// Longer cells do not widen their column: one long text must not push all others off the screen. IDs and names are
    /// shorter.
    static let widest = 120

    init(_ columns: [(title: String, isNumber: Bool)]) {
        titles = columns.map(\.title)
        areNumbers = columns.map(\.isNumber)
        widths = titles.map(DisplayWidth.of)
    }

    mutating func widen(for row: [String]) {
        for (index, cell) in row.enumerated() {
            let width = DisplayWidth.of(cell)
            if width > widths[index], width <= Layout.widest { widths[index] = width }
        }
    }

    var headline: String { line(titles) { _, title in title } }

    /// The cells in their columns, up to the last one that is not empty.
    ///
    /// - Parameter paint: Colours a cell, given the index of its column.
    func line(_ row: [String], paint: (Int, String) -> String) -> String {
        guard let last = row.lastIndex(where: { !$0.isEmpty }) else { return "" }
        var line = ""
        for (index, cell) in row[...last].enumerated() {
            if index > 0 { line += "  " }
            let missing = widths[index] - DisplayWidth.of(cell)
            let blanks =
                missing > 0 && (areNumbers[index] || index < last) ? String(repeating: " ", count: missing) : ""
            if areNumbers[index] { line += blanks }
            line += paint(index, cell)
            if !areNumbers[index] { line += blanks }
        }
        return line
    }
}
