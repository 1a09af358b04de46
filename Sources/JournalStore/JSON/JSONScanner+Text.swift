extension JSONScanner {
    /// Reads a string into ``text``; false if there is none.
    mutating func string() -> Bool {
        guard take("\"") else { return false }
        text.removeAll(keepingCapacity: true)
        var isASCII = true
        while true {
            guard let end = rest.firstIndex(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return false }
            let plain = rest[..<end]
            if isASCII { isASCII = plain.allSatisfy { $0 < 0x80 } }
            text.append(contentsOf: plain)
            rest = rest[end...]
            if takeHere("\"") { return isASCII || String(validating: text, as: UTF8.self) != nil }
            guard takeHere("\\"), escape() else { return false }
        }
    }

    private mutating func escape() -> Bool {
        guard let kind = rest.popFirst() else { return false }
        switch Unicode.Scalar(kind) {
        case "\"", "\\", "/": text.append(kind)
        case "b": text.append(0x08)
        case "f": text.append(0x0C)
        case "n": text.append(0x0A)
        case "r": text.append(0x0D)
        case "t": text.append(0x09)
        case "u":
            guard let scalar = scalar() else { return false }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: return false
        }
        return true
    }

    /// Reads what follows `\u`: four digits, or a surrogate pair.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
        guard rest.starts(with: "\\u".utf8) else { return nil }
        rest = rest.dropFirst(2)
        guard let second = unit(), (0xDC00...0xDFFF).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func unit() -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4 else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard let number = JSONScanner.hexValue(digit) else { return nil }
            value = value << 4 | number
        }
        rest = rest.dropFirst(4)
        return value
    }

    static func hexValue(_ digit: UInt8) -> UInt32? {
        switch digit {
        case 0x30...0x39: UInt32(digit) - 0x30
        case 0x41...0x46: UInt32(digit) - 0x37
        case 0x61...0x66: UInt32(digit) - 0x57
        default: nil
        }
    }
}
