extension StoredJSON {
    /// The JSON formatted for people and escaped for a terminal; nil if the text is not JSON.
    ///
    /// A value that fits the width stays on one line, any other has one member per line. The outermost value is always
    /// broken up, so that all states look alike. Strings are not broken: a line can be longer than the width.
    static func lines(_ text: String, width: Int) -> [String]? {
        guard let compact = compact(text) else { return nil }
        var layout = JSONLayout(bytes: Array(compact.utf8), width: width)
        return layout.lines()
    }
}

/// Formats JSON over several lines. The JSON is valid and without whitespace, because ``StoredJSON`` wrote it.
private struct JSONLayout {
    let bytes: [UInt8]
    let width: Int
    private var depth = 0
    private var line: [UInt8] = []
    private var finished: [String] = []

    init(bytes: [UInt8], width: Int) {
        self.bytes = bytes
        self.width = width
    }

    mutating func lines() -> [String] {
        var index = 0
        // The end of the list or object that stays on the current line.
        var shortEnd: Int?
        while index < bytes.count {
            let byte = bytes[index]
            switch Unicode.Scalar(byte) {
            case "\"":
                let end = endOfText(from: index)
                line += bytes[index...end]
                index = end
            case "{", "[":
                line.append(byte)
                if shortEnd == nil {
                    shortEnd = endOfShort(from: index)
                    if shortEnd == nil {
                        depth += 1
                        breakLine()
                    }
                }
            case "}", "]":
                if shortEnd == nil {
                    depth -= 1
                    breakLine()
                } else if shortEnd == index {
                    shortEnd = nil
                }
                line.append(byte)
            case ",":
                line.append(byte)
                if shortEnd == nil { breakLine() } else { line.append(UInt8(ascii: " ")) }
            case ":": line += [byte, UInt8(ascii: " ")]
            default: line.append(byte)
            }
            index += 1
        }
        finished.append(String(decoding: line, as: UTF8.self))
        return finished
    }

    private mutating func breakLine() {
        finished.append(String(decoding: line, as: UTF8.self))
        line = Array(repeating: UInt8(ascii: " "), count: 2 * depth)
    }

    /// The last byte of the string that begins at `start`.
    private func endOfText(from start: Int) -> Int {
        var index = start + 1
        while bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return index
    }

    /// The last byte of the list or object that begins at `start`, if it fits on this line. The scan goes no further
    /// than a line is wide, so each byte is read a few times and not once per level.
    private func endOfShort(from start: Int) -> Int? {
        if "}]".utf8.contains(bytes[start + 1]) { return start + 1 }
        // Leave room for a comma that may follow. A byte counts as a column, which can be too many but never too few.
        var room = start == 0 ? 0 : width - line.count
        var open = 0
        var index = start
        while index < bytes.count, room > 0 {
            switch Unicode.Scalar(bytes[index]) {
            case "\"":
                let end = endOfText(from: index)
                room -= end - index
                index = end
            case "{", "[": open += 1
            case "}", "]": open -= 1
            case ",", ":": room -= 1
            default: break
            }
            room -= 1
            if open == 0 { return room >= 0 ? index : nil }
            index += 1
        }
        return nil
    }
}
