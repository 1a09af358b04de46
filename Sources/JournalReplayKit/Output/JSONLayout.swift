import JournalStore

/// Writes a value of a scanned text with other whitespace; its numbers and strings stay as they are.
struct JSONLayout {
    enum Style: Equatable {
        /// Without whitespace between tokens.
        case compact
        /// Spaces after commas and colons, keys that are words without quotes, no outer braces.
        case relaxed
        /// A value that fits the width stays on one line, any other has one member per line.
        case lines(width: Int)
    }

    private let document: JSONDocument
    private let style: Style
    private var output = JSONOutput(capacity: 256)
    private var depth = 0
    private var lineStart = 0

    static func text(of document: JSONDocument, _ token: Int, _ style: Style) -> String {
        var layout = JSONLayout(document: document, style: style)
        defer { layout.output.free() }
        layout.write(token, isWhole: true)
        return layout.output.text
    }

    private init(document: JSONDocument, style: Style) {
        self.document = document
        self.style = style
    }

    private mutating func write(_ token: Int, isWhole: Bool = false, isShort: Bool = false) {
        switch document.kind(token) {
        case .object: writeList(token, "{", "}", isWhole, isShort)
        case .array: writeList(token, "[", "]", isWhole, isShort)
        case .text: writeText(token)
        default: output.append(document.bytes(token), .terminal)
        }
    }

    private mutating func writeText(_ token: Int) {
        output.append(UInt8(ascii: "\""))
        output.append(document.bytes(token), .terminal, escapesQuotes: false)
        output.append(UInt8(ascii: "\""))
    }

    private mutating func writeList(
        _ token: Int, _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ isWhole: Bool, _ isShort: Bool
    ) {
        let children = document.children(token)
        let isObject = opening == "{"
        let hasBrackets = style != .relaxed || !isWhole || !isObject || children.isEmpty
        let isShort = isShort || children.isEmpty || isOnOneLine(token, isWhole)
        if hasBrackets { output.append(UInt8(ascii: opening)) }
        if !isShort { depth += 1 }
        for (index, child) in children.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            if !isShort { breakLine() } else if index > 0 { writeBlank() }
            guard isObject else {
                write(child, isShort: isShort)
                continue
            }
            writeKey(child)
            output.append(UInt8(ascii: ":"))
            writeBlank()
            write(child + 1, isShort: isShort)
        }
        if !isShort {
            depth -= 1
            breakLine()
        }
        if hasBrackets { output.append(UInt8(ascii: closing)) }
    }

    private mutating func writeKey(_ key: Int) {
        let text = String(decoding: document.bytes(key), as: UTF8.self)
        if style == .relaxed, !text.isEmpty, text.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) {
            output.append(plain: text)
        } else {
            writeText(key)
        }
    }

    // MARK: Lines

    private mutating func writeBlank() {
        if style != .compact { output.append(UInt8(ascii: " ")) }
    }

    private mutating func breakLine() {
        output.append(UInt8(ascii: "\n"))
        lineStart = output.bytes.count
        for _ in 0..<2 * depth { output.append(UInt8(ascii: " ")) }
    }

    /// Whether the list or object fits on the current line. The scan goes no further than a line is wide, so each token
    /// is read a few times and not once per level.
    private func isOnOneLine(_ list: Int, _ isWhole: Bool) -> Bool {
        guard case .lines(let width) = style else { return true }
        guard !isWhole else { return false }
        // Leave room for a comma that may follow. A byte counts as a column, which can be too many but never too few.
        var room = width - (output.bytes.count - lineStart) - 1
        var token = list
        let end = document.end(of: list)
        while token < end, room >= 0 {
            let count = document.count(token)
            switch document.kind(token) {
            // A member has a colon and a comma, each with a space; the last has no comma.
            case .object: room -= 2 + 4 * count - (count > 0 ? 2 : 0)
            case .array: room -= 2 + 2 * count - (count > 0 ? 2 : 0)
            case .text: room -= 2 + count
            default: room -= count
            }
            token += 1
        }
        return room >= 0
    }
}
