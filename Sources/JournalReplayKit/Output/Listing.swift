import JournalStore

/// A key of a command's JSON, for the help.
struct KeyRow: Hashable, Sendable {
    var name: String
    var meaning: String
}

/// A key of an item's JSON, and the function that returns its value. Every key is always written; null means no value.
struct Key<Item>: Sendable {
    var name: String
    var meaning: String
    var value: @Sendable (Item) -> JSON
    /// The text before each value: the key in quotes, and a colon.
    let written: String

    init(_ name: String, _ meaning: String, _ value: @escaping @Sendable (Item) -> JSON) {
        self.name = name
        self.meaning = meaning
        self.value = value
        written = "\"\(name)\":"
    }

    var row: KeyRow { KeyRow(name: name, meaning: meaning) }
}

extension JSON {
    /// An item as an object inside another one.
    static func object<Item>(_ item: Item, _ keys: [Key<Item>]) -> JSON {
        .object(keys.map { JSON.Member(key: $0.name, value: $0.value(item)) })
    }
}

/// A column of the text for people. The last column of a listing may have any width.
struct Column<Item>: Sendable {
    var title: String
    var isNumber = false
    var isProblem: @Sendable (Item) -> Bool = { _ in false }
    var text: @Sendable (Item) -> String

    init(_ title: String, _ text: @escaping @Sendable (Item) -> String) {
        self.title = title
        self.text = text
    }

    static func number(_ title: String, _ value: @escaping @Sendable (Item) -> Int) -> Self {
        var column = Self(title) { String(value($0)) }
        column.isNumber = true
        return column
    }

    func red(_ isProblem: @escaping @Sendable (Item) -> Bool) -> Self {
        var column = self
        column.isProblem = isProblem
        return column
    }
}

extension Output {
    /// Writes one object: a summary, or a line of a list.
    func object<Item>(_ item: Item, _ keys: [Key<Item>]) throws(Failure) {
        try line { json in
            for (index, key) in keys.enumerated() {
                json.append(UInt8(ascii: index == 0 ? "{" : ","))
                json.append(plain: key.written)
                key.value(item).write(to: &json)
            }
            json.append(UInt8(ascii: "}"))
        }
    }
}

/// Writes a list page by page, in constant memory: columns for people, JSON Lines for programs.
struct Listing<Item> {
    private let output: Output
    private let keys: [Key<Item>]
    private let columns: [Column<Item>]
    private var layout: Layout
    private(set) var isEmpty = true

    init(_ output: Output, keys: [Key<Item>], columns: [Column<Item>]) {
        self.output = output
        self.keys = keys
        self.columns = columns
        layout = Layout(columns.map { (title: $0.title, isNumber: $0.isNumber) })
    }

    mutating func write(_ page: [Item]) throws(Output.Failure) {
        guard !page.isEmpty else { return }
        let isFirst = isEmpty
        isEmpty = false
        guard !output.isJSON else {
            for item in page { try output.object(item, keys) }
            return
        }
        let rows = page.map { item in columns.map { SafeText.escape($0.text(item)) } }
        for row in rows { layout.widen(for: row) }
        if isFirst { try output.line(output.style.headline(layout.headline)) }
        for (item, row) in zip(page, rows) {
            try output.line(
                layout.line(row) { index, cell in
                    columns[index].isProblem(item) ? output.style.problem(cell) : cell
                })
        }
    }
}
