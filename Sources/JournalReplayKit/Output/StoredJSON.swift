/// Reads stored text that should be JSON but can be anything, because of a manual edit or a bug.
///
/// Validates it by RFC 8259 and removes the whitespace. Nothing is decoded: numbers and strings stay as they are.
struct StoredJSON {
    private var rest: UnsafeBufferPointer<UInt8>.SubSequence
    private var compact: [UInt8] = []
    private var depth = 0

    /// The deepest nesting that is accepted: the parser is recursive, and the stack is finite.
    private static let deepest = 512

    /// The JSON on one line and escaped for a terminal; nil if the text is not JSON.
    static func compact(_ text: String) -> String? {
        var text = text
        let bytes: [UInt8]? = text.withUTF8 { buffer in
            var reader = StoredJSON(rest: buffer[...])
            reader.compact.reserveCapacity(buffer.count)
            guard reader.value(), reader.peek() == nil else { return nil }
            return reader.compact
        }
        // Unsafe characters can only occur inside strings, where their escapes mean the same.
        return bytes.map { SafeText.escape(String(decoding: $0, as: UTF8.self)) }
    }

    /// The text as JSON; if it is not JSON, the text as a JSON string.
    static func orText(_ text: String?) -> JSON {
        guard let text else { return .null }
        return compact(text).map { .raw($0) } ?? .text(text)
    }

    private init(rest: UnsafeBufferPointer<UInt8>.SubSequence) {
        self.rest = rest
    }

    // MARK: Bytes

    /// Skips whitespace, and returns the next byte.
    private mutating func peek() -> UInt8? {
        while let byte = rest.first, byte == 0x20 || (0x09...0x0A).contains(byte) || byte == 0x0D { rest.removeFirst() }
        return rest.first
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        compact.append(rest.removeFirst())
        return true
    }

    private mutating func take(word: StaticString) -> Bool {
        word.withUTF8Buffer { word in
            guard rest.starts(with: word) else { return false }
            rest.removeFirst(word.count)
            compact.append(contentsOf: word)
            return true
        }
    }

    private mutating func takeDigits() -> Bool {
        let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
        compact.append(contentsOf: digits)
        rest.removeFirst(digits.count)
        return !digits.isEmpty
    }

    // MARK: Grammar

    private mutating func value() -> Bool {
        depth += 1
        defer { depth -= 1 }
        guard depth <= StoredJSON.deepest, let first = peek() else { return false }
        return switch Unicode.Scalar(first) {
        case "{": members("{", "}") { $0.string() && $0.separator() && $0.value() }
        case "[": members("[", "]") { $0.value() }
        case "\"": string()
        case "t": take(word: "true")
        case "f": take(word: "false")
        case "n": take(word: "null")
        default: number()
        }
    }

    private mutating func separator() -> Bool {
        peek() != nil && take(":")
    }

    private mutating func members(
        _ opening: Unicode.Scalar, _ closing: Unicode.Scalar, _ member: (inout StoredJSON) -> Bool
    ) -> Bool {
        guard take(opening) else { return false }
        if peek() != nil, take(closing) { return true }
        repeat {
            guard peek() != nil, member(&self), peek() != nil else { return false }
        } while take(",")
        return take(closing)
    }

    private mutating func number() -> Bool {
        _ = take("-")
        guard take("0") || takeDigits() else { return false }
        if take("."), !takeDigits() { return false }
        if take("e") || take("E") {
            if !take("+") { _ = take("-") }
            return takeDigits()
        }
        return true
    }

    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        while true {
            let plain = rest.prefix { $0 >= 0x20 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
            compact.append(contentsOf: plain)
            rest = rest.dropFirst(plain.count)
            if take("\"") { return true }
            guard take("\\"), escape() else { return false }
        }
    }

    private mutating func escape() -> Bool {
        guard let kind = rest.popFirst() else { return false }
        compact.append(kind)
        guard kind == UInt8(ascii: "u") else { return "\"\\/bfnrt".utf8.contains(kind) }
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return false }
        compact.append(contentsOf: digits)
        rest.removeFirst(4)
        return true
    }
}
