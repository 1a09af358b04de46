/// Escapes stored text for a terminal, so that it cannot move the cursor, change a title or reverse the text direction.
enum SafeText {
    /// The text on one line, with each unsafe character escaped as in JSON: `\n`, `\u001b`.
    static func escape(_ text: String) -> String {
        guard text.utf8.withContiguousStorageIfAvailable(mayNeedEscape) ?? true else { return text }
        var safe = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": safe += "\\n"
            case "\r": safe += "\\r"
            case "\t": safe += "\\t"
            case _ where isUnsafe(scalar): safe += escape(scalar)
            default: safe.unicodeScalars.append(scalar)
            }
        }
        return safe
    }

    /// Control characters, and invisible characters that reorder or break a line: https://trojansource.codes
    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
        default: false
        }
    }

    static func escape(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// A quick check of the bytes: most texts have none with which an unsafe character can begin.
    private static func mayNeedEscape(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.contains { byte in
            switch byte {
            case 0x20...0x7E: false
            // The first bytes of U+0080…U+00BF, U+0600…U+063F, U+2000…U+2FFF and U+F000…U+FFFF.
            case 0x00...0x1F, 0x7F, 0xC2, 0xD8, 0xE2, 0xEF: true
            default: false
            }
        }
    }
}
