/// An escape sequence of a JSON string.
struct JSONEscape {
    let scalar: Unicode.Scalar
    /// The number of bytes after the backslash, including a second escape of a surrogate pair.
    let length: Int

    private init(_ scalar: Unicode.Scalar, length: Int) {
        self.scalar = scalar
        self.length = length
    }

    /// Returns nil if the escape is invalid, such as half of a surrogate pair.
    init?(at place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        guard place < end else { return nil }
        switch place.pointee {
        case UInt8(ascii: "\""): self.init("\"", length: 1)
        case UInt8(ascii: "\\"): self.init("\\", length: 1)
        case UInt8(ascii: "/"): self.init("/", length: 1)
        case UInt8(ascii: "b"): self.init("\u{8}", length: 1)
        case UInt8(ascii: "f"): self.init("\u{C}", length: 1)
        case UInt8(ascii: "n"): self.init("\n", length: 1)
        case UInt8(ascii: "r"): self.init("\r", length: 1)
        case UInt8(ascii: "t"): self.init("\t", length: 1)
        default: self.init(units: place, end)
        }
    }

    private init?(units place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) {
        guard let first = Self.unit(place, end) else { return nil }
        guard UTF16.isLeadSurrogate(first) else {
            guard let scalar = Unicode.Scalar(first) else { return nil }
            self.init(scalar, length: 5)
            return
        }
        guard end - place > 6, place[5] == UInt8(ascii: "\\"), let second = Self.unit(place + 6, end),
            UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        else { return nil }
        self.init(scalar, length: 11)
    }

    /// Reads a "u" and four hexadecimal digits.
    private static func unit(_ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UInt16? {
        guard end - place >= 5, place.pointee == UInt8(ascii: "u") else { return nil }
        var unit: UInt16 = 0
        for index in 1...4 {
            let digit: UInt8
            switch place[index] {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = place[index] - 0x30
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = place[index] - 0x57
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = place[index] - 0x37
            default: return nil
            }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// Decodes the contents of a string whose escapes are known to be valid.
    static func unescape(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        guard var place = bytes.baseAddress else { return "" }
        let end = place + bytes.count
        // An escape is never shorter than the UTF-8 of its character.
        return String(unsafeUninitializedCapacity: bytes.count) { target in
            var count = 0
            while place < end {
                let byte = place.pointee
                place += 1
                guard byte == UInt8(ascii: "\\"), let escape = JSONEscape(at: place, end) else {
                    target[count] = byte
                    count += 1
                    continue
                }
                place += escape.length
                for unit in UTF8.encode(escape.scalar) ?? .init() {
                    target[count] = unit
                    count += 1
                }
            }
            return count
        }
    }
}
