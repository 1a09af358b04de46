/// Decodes JSON strings.
enum JSONText {
    /// Removes the string at the start of `rest` and decodes it; nil if there is none, or it is malformed.
    static func first(in rest: inout Substring.UTF8View) -> String? {
        guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
        var isEscaped = false
        guard
            let end = rest.firstIndex(where: { byte in
                defer { isEscaped = byte == UInt8(ascii: "\\") && !isEscaped }
                return byte == UInt8(ascii: "\"") && !isEscaped
            })
        else { return nil }
        let text = rest[..<end]
        rest = rest[rest.index(after: end)...]
        return text.contains(UInt8(ascii: "\\")) ? unescape(Substring(text)) : String(Substring(text))
    }

    private static func unescape(_ text: Substring) -> String? {
        var units: [UInt16] = []
        var rest = text.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            guard scalar == "\\" else {
                units.append(contentsOf: String(scalar).utf16)
                continue
            }
            guard let kind = rest.popFirst() else { return nil }
            switch kind {
            case "b": units.append(0x08)
            case "f": units.append(0x0C)
            case "n": units.append(0x0A)
            case "r": units.append(0x0D)
            case "t": units.append(0x09)
            case "u":
                let digits = rest.prefix(4)
                guard digits.count == 4, let unit = UInt16(String(digits), radix: 16) else { return nil }
                units.append(unit)
                rest = rest.dropFirst(4)
            default: units.append(contentsOf: String(kind).utf16)
            }
        }
        return String(decoding: units, as: UTF16.self)
    }
}
