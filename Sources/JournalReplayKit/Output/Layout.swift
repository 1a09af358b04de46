/// How wide the columns of a list are, as far as it is known. They only get wider: what was written stays as it is.
struct Layout: Hashable, Sendable {
    private let titles: [String]
    private let areNumbers: [Bool]
    private var widths: [Int]

    /// One long name must not push all others off the screen.
    static let widest = 40

    init(_ columns: [(title: String, isNumber: Bool)]) {
        titles = columns.map(\.title)
        areNumbers = columns.map(\.isNumber)
        widths = titles.map(\.count)
    }

    mutating func widen(for row: [String]) {
        for (index, cell) in row.enumerated() {
            let width = Layout.width(of: cell)
            if width > widths[index], width <= Layout.widest { widths[index] = width }
        }
    }

    var headline: String { line(titles) { _, title in title } }

    /// The cells in their columns, without blanks behind the last one that says something.
    ///
    /// - Parameter paint: gives a cell its colour, by the number of its column.
    func line(_ row: [String], paint: (Int, String) -> String) -> String {
        guard let last = row.lastIndex(where: { !$0.isEmpty }) else { return "" }
        var line = ""
        for (index, cell) in row[...last].enumerated() {
            if index > 0 { line += "  " }
            let missing = widths[index] - Layout.width(of: cell)
            let blanks =
                missing > 0 && (areNumbers[index] || index < last) ? String(repeating: " ", count: missing) : ""
            if areNumbers[index] { line += blanks }
            line += paint(index, cell)
            if !areNumbers[index] { line += blanks }
        }
        return line
    }

    private static func width(of text: String) -> Int {
        let isASCII = text.utf8.withContiguousStorageIfAvailable { $0.allSatisfy { $0 < 0x80 } }
        return isASCII == true ? text.utf8.count : text.count
    }
}
