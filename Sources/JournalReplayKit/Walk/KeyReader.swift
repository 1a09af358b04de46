/// Decodes keys from the bytes that a terminal sends, however they are split.
///
/// Escape is a key, and also the first byte of many others. It is the key if nothing follows it, so the caller waits a
/// moment while the reader ``isUndecided``, and then calls ``giveUp()``.
struct KeyReader {
    private var pending: [UInt8] = []

    /// The result of decoding the first bytes.
    enum Decoded {
        /// The beginning of a longer sequence.
        case incomplete
        /// The number of bytes and their key; nil if they are to be ignored.
        case bytes(Int, KeyPress?)
    }

    /// Whether the meaning of the last bytes depends on those that follow.
    var isUndecided: Bool { !pending.isEmpty }

    /// Returns the keys that these bytes complete.
    mutating func read(_ bytes: some Sequence<UInt8>) -> [KeyPress] {
        pending.append(contentsOf: bytes)
        var rest = pending[...]
        var keys: [KeyPress] = []
        while !rest.isEmpty, case .bytes(let count, let key) = KeyReader.decode(rest) {
            rest = rest.dropFirst(count)
            if let key { keys.append(key) }
        }
        pending = Array(rest)
        return keys
    }

    /// Call this if nothing followed: a lone Escape is the key, any other incomplete sequence is dropped.
    mutating func giveUp() -> [KeyPress] {
        defer { pending = [] }
        return pending == [0x1B] ? [.escape] : []
    }

    static func decode(_ bytes: ArraySlice<UInt8>) -> Decoded {
        guard let first = bytes.first else { return .incomplete }
        switch first {
        case 0x1B: return decodeEscape(bytes)
        case 0x09: return .bytes(1, .tab)
        case 0x0A, 0x0D: return .bytes(1, .enter)
        case 0x08, 0x7F: return .bytes(1, .backspace)
        case 0x01...0x1A: return .bytes(1, .control(Character(Unicode.Scalar(first + 0x60))))
        case 0x00...0x1F: return .bytes(1, nil)
        case 0x20...0x7E: return .bytes(1, .text(Character(Unicode.Scalar(first))))
        default: return decodeUTF8(bytes, first)
        }
    }

    private static func decodeUTF8(_ bytes: ArraySlice<UInt8>, _ first: UInt8) -> Decoded {
        let length =
            switch first {
            case 0xC2...0xDF: 2
            case 0xE0...0xEF: 3
            case 0xF0...0xF4: 4
            default: 1
            }
        let encoded = bytes.prefix(length)
        guard length > 1, encoded.dropFirst().allSatisfy({ $0 & 0xC0 == 0x80 }) else { return .bytes(1, nil) }
        guard encoded.count == length else { return .incomplete }
        guard let scalar = String(validating: encoded, as: UTF8.self)?.unicodeScalars.first else {
            return .bytes(1, nil)
        }
        // The control characters of Latin-1 are not text.
        return .bytes(length, scalar.value < 0xA0 ? nil : .text(Character(scalar)))
    }
}
