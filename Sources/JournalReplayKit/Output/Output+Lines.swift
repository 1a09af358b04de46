extension Output {
    /// Writes lines that need no escaping, because they contain no text from a file.
    func lines(_ lines: [String]) throws(Failure) {
        for text in lines { try line(text) }
    }

    /// Writes the properties of one item, each on a line.
    func properties(_ rows: [(label: String, text: String)]) throws(Failure) {
        let width = rows.map(\.label.count).max() ?? 0
        for (label, text) in rows {
            let blanks = String(repeating: " ", count: width - label.count + 2)
            try line(style.headline(label) + blanks + SafeText.escape(text))
        }
    }
}
