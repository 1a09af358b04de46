extension JSONOutput {
    /// A text in quotes.
    @inline(__always)
    mutating func append(quoted text: String) {
        _ = append(quoting: text)
    }

    /// What there was in a text that matters for a key.
    struct Traits: OptionSet {
        let rawValue: UInt8
        /// A byte was escaped: the bytes in the output are not those of the text.
        static let escaped = Traits(rawValue: 1)
        /// A character beyond ASCII: two such texts can be equal with other bytes.
        static let wide = Traits(rawValue: 2)
    }

    mutating func append(quoting text: String) -> Traits {
        var text = text
        return text.withUTF8 { bytes in
            let length = bytes.count
            let target = reserve(length + 2)
            target[0] = UInt8(ascii: "\"")
            guard let source = bytes.baseAddress else {
                target[1] = UInt8(ascii: "\"")
                add(2)
                return []
            }
            var wide: UInt8 = 0
            var index = 0
            while index < length {
                let byte = source[index]
                if byte < 0x20 || byte == 0x22 || byte == 0x5C { break }
                wide |= byte
                target[index + 1] = byte
                index += 1
            }
            guard index == length else {
                add(index + 1)
                appendEscaping(bytes[index...])
                // Which of the rest is beyond ASCII is not looked at: it does no harm to think so.
                return [.escaped, .wide]
            }
            target[length + 1] = UInt8(ascii: "\"")
            add(length + 2)
            return wide >= 0x80 ? .wide : []
        }
    }

    /// The rest of a text and its closing quote.
    @inline(never)
    private mutating func appendEscaping(_ rest: Slice<UnsafeBufferPointer<UInt8>>) {
        for byte in rest {
            switch byte {
            case 0x22: append(plain: #"\""#)
            case 0x5C: append(plain: #"\\"#)
            case 0x08: append(plain: #"\b"#)
            case 0x0C: append(plain: #"\f"#)
            case 0x0A: append(plain: #"\n"#)
            case 0x0D: append(plain: #"\r"#)
            case 0x09: append(plain: #"\t"#)
            case 0x00..<0x20:
                append(plain: #"\u00"#)
                append(0x30 + byte >> 4)
                append(byte & 0xF < 10 ? 0x30 + byte & 0xF : 0x57 + byte & 0xF)
            default: append(byte)
            }
        }
        append(UInt8(ascii: "\""))
    }
}
