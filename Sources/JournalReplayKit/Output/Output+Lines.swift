extension Output {
    /// Lines that hold nothing of a file.
    func lines(_ lines: [String]) throws(Failure) {
        for text in lines { try line(text) }
    }

    /// What there is to say of one thing: a line for each of its properties.
    func properties(_ rows: [(label: String, text: String)]) throws(Failure) {
        let width = rows.map(\.label.count).max() ?? 0
        for (label, text) in rows {
            let blanks = String(repeating: " ", count: width - label.count + 2)
            try line(style.headline(label) + blanks + SafeText.escape(text))
        }
    }
}
