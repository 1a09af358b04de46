extension JSONOutput {
    /// Writes a text in quotes.
    @inline(__always)
    mutating func append(quoted text: String) {
        _ = append(quoting: text)
    }

    /// The properties of a text that matter if it is a key.
    struct Traits: OptionSet {
        let rawValue: UInt8
        /// A byte was escaped: the output differs from the text's bytes.
        static let escaped = Traits(rawValue: 1)
        /// A character is outside ASCII: two such texts can be equal although their bytes differ.
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
                // The rest is not checked for characters outside ASCII: assuming that there are some does no harm.
                return [.escaped, .wide]
            }
            target[length + 1] = UInt8(ascii: "\"")
            add(length + 2)
            return wide >= 0x80 ? .wide : []
        }
    }

    /// Writes the rest of a text and its closing quote.
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
