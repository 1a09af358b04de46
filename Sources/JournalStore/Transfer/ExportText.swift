/// The buffer that collects the bytes of an export.
///
/// Exports a million rows in seconds: it copies plain bytes in long runs and makes no `String` on the way.
struct ExportText {
    private(set) var bytes: [UInt8] = []

    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
    }

    mutating func add(_ plain: String) {
        bytes.append(contentsOf: plain.utf8)
    }

    mutating func add(_ number: Int64) {
        add(String(number))
    }

    mutating func add(hex blob: UnsafeRawBufferPointer) {
        bytes.append(UInt8(ascii: "\""))
        for byte in blob {
            bytes.append(ExportText.digit(byte >> 4))
            bytes.append(ExportText.digit(byte & 15))
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Adds a text as it is stored. Invalid UTF-8, which a person may have stored, becomes an object with its bytes.
    mutating func add(text: UnsafeRawBufferPointer) {
        if text.contains(where: { $0 >= 0x80 }), String(validating: text, as: UTF8.self) == nil {
            add(#"{"hex":"#)
            add(hex: text)
            return add("}")
        }
        bytes.append(UInt8(ascii: "\""))
        var rest = text[...]
        while let index = rest.firstIndex(where: ExportText.mayNeedEscape) {
            bytes.append(contentsOf: rest[..<index])
            rest = rest[index...]
            rest = rest.dropFirst(escape(rest))
        }
        bytes.append(contentsOf: rest)
        bytes.append(UInt8(ascii: "\""))
    }

    // MARK: Escapes

    /// The bytes that JSON requires to escape, and the first bytes of terminal controls and text direction marks.
    private static func mayNeedEscape(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x00...0x1F, 0x22, 0x5C, 0x7F, 0xC2, 0xD8, 0xE2, 0xEF: true
        default: false
        }
    }

    /// Writes the first character, escaped if necessary.
    ///
    /// - Returns: its length in bytes.
    private mutating func escape(_ rest: UnsafeRawBufferPointer.SubSequence) -> Int {
        let first = rest[rest.startIndex]
        switch first {
        case 0x22, 0x5C: bytes += [0x5C, first]
        case 0x0A: add("\\n")
        case 0x00...0x1F, 0x7F: add(escaped: UInt32(first))
        default:
            // The text is valid UTF-8, so the continuation bytes exist.
            let length = first < 0xE0 ? 2 : 3
            let character = rest.prefix(length)
            let value = character.dropFirst().reduce(UInt32(first) & (length == 2 ? 0x1F : 0x0F)) {
                $0 << 6 | UInt32($1) & 0x3F
            }
            if ExportText.isUnsafe(value) { add(escaped: value) } else { bytes.append(contentsOf: character) }
            return length
        }
        return 1
    }

    /// The same characters as in the tool's `SafeText`: https://trojansource.codes
    private static func isUnsafe(_ scalar: UInt32) -> Bool {
        switch scalar {
        case 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    private mutating func add(escaped scalar: UInt32) {
        add("\\u")
        for shift in [12, 8, 4, 0] { bytes.append(ExportText.digit(UInt8(truncatingIfNeeded: scalar >> shift) & 15)) }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? 0x30 + value : 0x57 + value
    }
}
