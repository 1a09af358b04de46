/// Cells in columns. The first column is aligned left, numbers right.
struct Table {
    var header: [String]
    var rows: [[String]] = []

    var text: String {
        aligned([header] + rows, between: "  ")
    }

    var markdown: String {
        let rule = header.indices.map { $0 == 0 ? "---" : "---:" }
        return ([header, rule] + rows).map { "| \($0.joined(separator: " | ")) |\n" }.joined()
    }

    private func aligned(_ lines: [[String]], between gap: String) -> String {
        let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.map { cells in
            let padded = zip(cells, widths).enumerated().map { column, cell in
                let blank = String(repeating: " ", count: cell.1 - cell.0.count)
                return column == 0 ? cell.0 + blank : blank + cell.0
            }
            // The last cell is often empty.
            var line = padded.joined(separator: gap)
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }
}
