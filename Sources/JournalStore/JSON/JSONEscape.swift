/// An escape sequence of a JSON string.
struct JSONEscape {
    let scalar: Unicode.Scalar
    /// The number of bytes after the backslash, including a second escape of a surrogate pair.
    let length: Int

    private init(_ scalar: Unicode.Scalar, length: Int) {
        self.scalar = scalar
        self.length = length
    }

    /// Returns nil if the rules do not accept the escape. Half of a surrogate pair becomes U+FFFD if they do.
    init?(at place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ rules: JSONScan.Rules) {
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
        default: self.init(units: place, end, rules)
        }
    }

    private init?(units place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>, _ rules: JSONScan.Rules) {
        guard let first = Self.unit(place, end) else { return nil }
        if let scalar = Unicode.Scalar(first) {
            self.init(scalar, length: 5)
        } else if UTF16.isLeadSurrogate(first), end - place > 6, place[5] == UInt8(ascii: "\\"),
            let second = Self.unit(place + 6, end), UTF16.isTrailSurrogate(second),
            let scalar = Unicode.Scalar(0x10000 + (UInt32(first) - 0xD800) << 10 + (UInt32(second) - 0xDC00))
        {
            self.init(scalar, length: 11)
        } else {
            guard rules != .coder else { return nil }
            self.init("\u{FFFD}", length: 5)
        }
    }

    /// Reads a "u" and four hexadecimal digits.
    private static func unit(_ place: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>) -> UInt16? {
        guard end - place >= 5, place.pointee == UInt8(ascii: "u") else { return nil }
        var unit: UInt16 = 0
        for index in 1...4 {
            guard let digit = digit(place[index]) else { return nil }
            unit = unit << 4 | UInt16(digit)
        }
        return unit
    }

    /// The value of a hexadecimal digit.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - 0x30
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - 0x57
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - 0x37
        default: nil
        }
    }

    /// Decodes the contents of a string that the scan accepted.
    static func unescape(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
        // An escape is never shorter than the UTF-8 of its character.
        String(unsafeUninitializedCapacity: bytes.count) { unescape(bytes, into: $0) }
    }

    /// Decodes the contents of a string that the scan accepted.
    ///
    /// - Returns: the number of bytes written.
    static func unescape(_ bytes: UnsafeBufferPointer<UInt8>, into target: UnsafeMutableBufferPointer<UInt8>) -> Int {
        guard var place = bytes.baseAddress else { return 0 }
        let end = place + bytes.count
        var count = 0
        while place < end {
            let byte = place.pointee
            place += 1
            guard byte == UInt8(ascii: "\\") else {
                target[count] = byte
                count += 1
                continue
            }
            // The loose rules accept a backslash before any character, and drop it.
            guard let escape = JSONEscape(at: place, end, .loose) else { continue }
            place += escape.length
            for unit in UTF8.encode(escape.scalar) ?? .init() {
                target[count] = unit
                count += 1
            }
        }
        return count
    }
}
