/// The text of a value before its line breaks are chosen.
struct ValueOutline: Sendable {
    struct Item: Sendable {
        var label: String?
        var outline: ValueOutline

        init(_ label: String?, _ outline: ValueOutline) {
            self.label = label
            self.outline = outline
        }
    }

    private var open: String
    private var items: [Item]
    private var close: String
    /// The length on one line.
    private var length: Int

    /// - Parameters:
    ///   - open: the whole text, or the text before the parts.
    ///   - items: the parts.
    ///   - close: the text after the parts.
    init(_ open: String, _ items: [Item] = [], _ close: String = "") {
        (self.open, self.items, self.close) = (open, items, close)
        length = open.count + close.count + 2 * max(0, items.count - 1)
        for item in items { length += (item.label.map { $0.count + 2 } ?? 0) + item.outline.length }
    }

    /// The text, with lines broken that are longer than `width`.
    func text(width: Int) -> String {
        var text = ""
        write(to: &text, indent: "", column: 0, width: width)
        return text
    }

    /// - Parameter column: the number of characters before it on its line.
    private func write(to text: inout String, indent: String, column: Int, width: Int) {
        text += open
        if items.isEmpty || length <= width - column {
            for (index, item) in items.enumerated() {
                text += index > 0 ? ", " : ""
                text += item.label.map { "\($0): " } ?? ""
                item.outline.write(to: &text, indent: indent, column: 0, width: .max)
            }
        } else if let only = items.first, items.count == 1, only.label == nil, close == ")" {
            // The single payload of an enum case continues the line: `.open(Cart(`.
            only.outline.write(to: &text, indent: indent, column: column + open.count, width: width)
        } else {
            let inner = indent + "    "
            for (index, item) in items.enumerated() {
                let label = item.label.map { "\($0): " } ?? ""
                text += "\n\(inner)\(label)"
                // Leaves room for the comma after it.
                item.outline.write(to: &text, indent: inner, column: inner.count + label.count + 1, width: width)
                text += index < items.count - 1 ? "," : ""
            }
            text += "\n\(indent)"
        }
        text += close
    }
}
