extension StoredJSON {
    /// The same JSON for a person, safe for a terminal; nil where the text is no JSON.
    ///
    /// What fits into the width stands on one line, anything else one member a line. The whole is always taken apart, so
    /// that one state looks like the next. Texts are not broken: a line can be longer than the width.
    static func lines(_ text: String, width: Int) -> [String]? {
        guard let compact = compact(text) else { return nil }
        var layout = JSONLayout(bytes: Array(compact.utf8), width: width)
        return layout.lines()
    }
}

/// Spreads JSON without blanks over lines. It is sound: ``StoredJSON`` made it.
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
        // Where the list or the object ends that stands on the present line.
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

    /// The last byte of the text that begins here.
    private func endOfText(from start: Int) -> Int {
        var index = start + 1
        while bytes[index] != UInt8(ascii: "\"") { index += bytes[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return index
    }

    /// The last byte of the list or the object that begins here, if there is room for it on this line. It looks no
    /// further than a line is wide, so each byte is looked at a few times and not once a level.
    private func endOfShort(from start: Int) -> Int? {
        if "}]".utf8.contains(bytes[start + 1]) { return start + 1 }
        // The comma that may follow needs its place. A byte stands for a column: too many for some signs, never too few.
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
