/// A value of a row in an export: INTEGER is a number, TEXT a string, BLOB a string of hexadecimal digits.
enum ExportedValue: Hashable {
    case null
    case integer(Int64)
    case text([UInt8])
    /// TEXT that is not UTF-8: `{"hex":"…"}`
    case bytes([UInt8])

    /// Reads a value; nil if an export does not contain such a value.
    init?(_ document: JSONDocument, _ token: Int) {
        switch document.kind(token) {
        case .null:
            self = .null
        case .whole:
            guard let number: Int64 = JSONNumber.whole(document.bytes(token)) else { return nil }
            self = .integer(number)
        case .text:
            self = .text(document.text(bytes: token))
        case .object:
            let keys = document.children(token)
            guard keys.count == 1, document.unchecked(text: token + 1) == "hex", document.kind(token + 2) == .text,
                let bytes = Self.blob(document.text(bytes: token + 2))
            else { return nil }
            self = .bytes(bytes)
        default:
            return nil
        }
    }

    /// The bytes that hexadecimal digits encode.
    static func blob(_ digits: [UInt8]) -> [UInt8]? {
        guard digits.count % 2 == 0 else { return nil }
        var blob: [UInt8] = []
        blob.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = JSONEscape.digit(digits[index]), let low = JSONEscape.digit(digits[index + 1]) else {
                return nil
            }
            blob.append(high << 4 | low)
        }
        return blob
    }
}

extension JSONDocument {
    /// Scans a line of an export.
    ///
    /// - Throws: ``NotForUs`` if it is not UTF-8 or not JSON.
    convenience init(exported line: UnsafeBufferPointer<UInt8>) throws(NotForUs) {
        guard line.isUTF8 else { throw NotForUs() }
        try self.init(line)
    }

    fileprivate func text(bytes token: Int) -> [UInt8] {
        let text = bytes(token)
        guard tokens[token].traits.contains(.escaped) else { return Array(text) }
        return Array(unsafeUninitializedCapacity: text.count) { $1 = JSONEscape.unescape(text, into: $0) }
    }
}

extension JSONOutput {
    /// Writes a text as it is stored. Invalid UTF-8, which a person may have stored, becomes an object with its bytes.
    mutating func append(exported text: UnsafeBufferPointer<UInt8>) {
        guard !text.isUTF8 else { return append(quoted: text, .export) }
        append(plain: #"{"hex":"#)
        append(hex: text)
        append(UInt8(ascii: "}"))
    }

    mutating func append(hex blob: UnsafeBufferPointer<UInt8>) {
        append(UInt8(ascii: "\""))
        for byte in blob {
            append(digit: byte >> 4)
            append(digit: byte & 0xF)
        }
        append(UInt8(ascii: "\""))
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate var isUTF8: Bool {
        allSatisfy { $0 < 0x80 } || String(validating: self, as: UTF8.self) != nil
    }
}
