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
                append(UnsafeBufferPointer(rebasing: bytes[index...]), .coder)
                append(UInt8(ascii: "\""))
                // The rest is not checked for characters outside ASCII: assuming that there are some does no harm.
                return [.escaped, .wide]
            }
            target[length + 1] = UInt8(ascii: "\"")
            add(length + 2)
            return wide >= 0x80 ? .wide : []
        }
    }

    // MARK: Escapes

    /// Writes a text in quotes, with the escapes that `escaping` names.
    package mutating func append(quoted text: String, _ escaping: JSONEscaping) {
        var text = text
        text.withUTF8 { append(quoted: $0, escaping) }
    }

    mutating func append(quoted text: UnsafeBufferPointer<UInt8>, _ escaping: JSONEscaping) {
        append(UInt8(ascii: "\""))
        append(text, escaping)
        append(UInt8(ascii: "\""))
    }

    /// Writes UTF-8 without quotes.
    ///
    /// - Parameter escapesQuotes: false for text that is not a string, or whose quotes are already escaped.
    @inline(never)
    package mutating func append(
        _ text: UnsafeBufferPointer<UInt8>, _ escaping: JSONEscaping, escapesQuotes: Bool = true
    ) {
        guard var place = text.baseAddress else { return }
        let end = place + text.count
        let isSafe = escaping.isSafe
        while true {
            let plain = place
            while place < end, !Self.mayNeedEscape(place.pointee, isSafe: isSafe) { place += 1 }
            append(plain: UnsafeBufferPointer(start: plain, count: place - plain))
            guard place < end else { return }
            let byte = place.pointee
            if byte >= 0x7F {
                place += appendCharacter(at: place)
                continue
            }
            if byte >= 0x20 {
                if escapesQuotes { append(UInt8(ascii: "\\")) }
                append(byte)
            } else if let letter = escaping.letter(byte) {
                append(UInt8(ascii: "\\"))
                append(letter)
            } else {
                append(unit: UInt32(byte))
            }
            place += 1
        }
    }

    /// The text on one line, with each character that is unsafe on a terminal escaped as in JSON: `\n`, `\u001b`.
    package static func safe(_ text: String) -> String {
        guard mayBeUnsafe(text) else { return text }
        return JSONOutput.text { output in
            var text = text
            text.withUTF8 { output.append($0, .terminal, escapesQuotes: false) }
        }
    }

    /// Whether a text may have a character that is unsafe on a terminal: a quick check of its bytes.
    private static func mayBeUnsafe(_ text: String) -> Bool {
        text.utf8.contains { mayBeUnsafe($0) }
    }

    /// Whether a character that begins with this byte can be unsafe: a control character, or one of U+0080…U+00BF,
    /// U+0600…U+063F, U+2000…U+2FFF and U+F000…U+FFFF.
    @inline(__always)
    private static func mayBeUnsafe(_ byte: UInt8) -> Bool {
        if byte < 0x7F { return byte < 0x20 }
        return byte == 0x7F || byte == 0xC2 || byte == 0xD8 || byte == 0xE2 || byte == 0xEF
    }

    @inline(__always)
    private static func mayNeedEscape(_ byte: UInt8, isSafe: Bool) -> Bool {
        if byte < 0x7F { return byte < 0x20 || byte == 0x22 || byte == 0x5C }
        return isSafe && mayBeUnsafe(byte)
    }

    /// Writes the character at `place`, escaped if it is unsafe.
    ///
    /// - Returns: its length in bytes. The text is valid UTF-8, so the continuation bytes exist.
    private mutating func appendCharacter(at place: UnsafePointer<UInt8>) -> Int {
        let first = UInt32(place.pointee)
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : 3
        var value = length == 1 ? first : length == 2 ? first & 0x1F : first & 0x0F
        for index in 1..<length { value = value << 6 | UInt32(place[index]) & 0x3F }
        if Unicode.Scalar(value)?.isUnsafe == true {
            append(unit: value)
        } else {
            append(plain: UnsafeBufferPointer(start: place, count: length))
        }
        return length
    }

    private mutating func append(unit: UInt32) {
        append(UInt8(ascii: "\\"))
        append(UInt8(ascii: "u"))
        for shift in [12, 8, 4, 0] as [UInt32] { append(digit: UInt8(truncatingIfNeeded: unit >> shift) & 0xF) }
    }

    /// Writes a hexadecimal digit.
    @inline(__always)
    mutating func append(digit: UInt8) {
        append(digit < 10 ? 0x30 + digit : 0x57 + digit)
    }
}
