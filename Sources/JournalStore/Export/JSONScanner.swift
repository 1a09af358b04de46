/// Reads the JSON of one line by RFC 8259, as far as an export needs it: objects of numbers, texts and nulls.
///
/// Not `JSONDecoder`: a million lines are to be read in seconds, and texts exactly. Nothing is kept: a text stands in ``text`` until
/// the next one is read.
struct JSONScanner {
    /// The line is no JSON, or not of that shape.
    struct Failure: Error, Hashable {}

    enum Value: Hashable {
        case null
        case integer(Int64)
        /// Stands in ``JSONScanner/text``.
        case text
        /// The bytes of a text that is none; they stand in ``JSONScanner/text``.
        case bytes
    }

    private var rest: UnsafeBufferPointer<UInt8>.SubSequence
    /// The text that was read last, decoded.
    private(set) var text: [UInt8] = []

    /// - Parameter line: must outlive this value.
    init(_ line: UnsafeBufferPointer<UInt8>) {
        rest = line[...]
    }

    /// Goes on with another line, and keeps the memory for texts.
    mutating func begin(_ line: UnsafeBufferPointer<UInt8>) {
        rest = line[...]
    }

    /// Nothing but blanks is left.
    mutating func isAtEnd() -> Bool {
        skipBlanks()
        return rest.isEmpty
    }

    /// Reads an object. The closure is called behind each key, which stands in ``text``, and reads the value.
    mutating func object<Other: Error>(
        _ failure: (Failure) -> Other, _ member: (inout JSONScanner) throws(Other) -> Void
    ) throws(Other) {
        guard take("{") else { throw failure(Failure()) }
        if take("}") { return }
        repeat {
            guard string(), take(":") else { throw failure(Failure()) }
            try member(&self)
        } while take(",")
        guard take("}") else { throw failure(Failure()) }
    }

    mutating func value() throws(Failure) -> Value {
        skipBlanks()
        switch rest.first {
        case UInt8(ascii: "\""):
            guard string() else { throw Failure() }
            return .text
        case UInt8(ascii: "{"):
            return try bytes()
        case UInt8(ascii: "n"):
            guard rest.starts(with: "null".utf8) else { throw Failure() }
            rest = rest.dropFirst(4)
            return .null
        default:
            return .integer(try integer())
        }
    }

    /// `{"hex":"…"}`
    private mutating func bytes() throws(Failure) -> Value {
        guard take("{"), string(), text.elementsEqual("hex".utf8), take(":"), string(), take("}"),
            let decoded = JSONScanner.blob(text)
        else { throw Failure() }
        text = decoded
        return .bytes
    }

    /// The bytes that hexadecimal digits stand for.
    static func blob(_ digits: [UInt8]) -> [UInt8]? {
        guard digits.count % 2 == 0 else { return nil }
        var blob: [UInt8] = []
        blob.reserveCapacity(digits.count / 2)
        for index in stride(from: 0, to: digits.count, by: 2) {
            guard let high = hexValue(digits[index]), let low = hexValue(digits[index + 1]) else { return nil }
            blob.append(UInt8(high << 4 | low))
        }
        return blob
    }

    // MARK: Bytes

    private mutating func skipBlanks() {
        rest = rest.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }
    }

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        return takeHere(character)
    }

    private mutating func takeHere(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func integer() throws(Failure) -> Int64 {
        let word = rest.prefix { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word
        rest = rest.dropFirst(word.count)
        // A number with a fraction or an exponent would go on here, and so is no integer.
        guard let value = Int64(String(decoding: word, as: UTF8.self)), digits.count == 1 || digits.first != 0x30,
            rest.first.map({ "eE.".utf8.contains($0) }) != true
        else { throw Failure() }
        return value
    }

    // MARK: Texts

    /// Reads a text into ``text``; false where it is none.
    private mutating func string() -> Bool {
        guard take("\"") else { return false }
        text.removeAll(keepingCapacity: true)
        var isASCII = true
        while true {
            guard let end = rest.firstIndex(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) else { return false }
            let plain = rest[..<end]
            if isASCII { isASCII = plain.allSatisfy { $0 < 0x80 } }
            text.append(contentsOf: plain)
            rest = rest[end...]
            if takeHere("\"") { return isASCII || String(validating: text, as: UTF8.self) != nil }
            guard takeHere("\\"), escape() else { return false }
        }
    }

    private mutating func escape() -> Bool {
        guard let kind = rest.popFirst() else { return false }
        switch Unicode.Scalar(kind) {
        case "\"", "\\", "/": text.append(kind)
        case "b": text.append(0x08)
        case "f": text.append(0x0C)
        case "n": text.append(0x0A)
        case "r": text.append(0x0D)
        case "t": text.append(0x09)
        case "u":
            guard let scalar = scalar() else { return false }
            text.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
        default: return false
        }
        return true
    }

    /// Behind `\u`: four digits, or a pair of surrogates.
    private mutating func scalar() -> Unicode.Scalar? {
        guard let first = unit() else { return nil }
        guard (0xD800...0xDBFF).contains(first) else { return Unicode.Scalar(first) }
        guard rest.starts(with: "\\u".utf8) else { return nil }
        rest = rest.dropFirst(2)
        guard let second = unit(), (0xDC00...0xDFFF).contains(second) else { return nil }
        return Unicode.Scalar(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00))
    }

    private mutating func unit() -> UInt32? {
        let digits = rest.prefix(4)
        guard digits.count == 4 else { return nil }
        var value: UInt32 = 0
        for digit in digits {
            guard let number = JSONScanner.hexValue(digit) else { return nil }
            value = value << 4 | number
        }
        rest = rest.dropFirst(4)
        return value
    }

    private static func hexValue(_ digit: UInt8) -> UInt32? {
        switch digit {
        case 0x30...0x39: UInt32(digit) - 0x30
        case 0x41...0x46: UInt32(digit) - 0x37
        case 0x61...0x66: UInt32(digit) - 0x57
        default: nil
        }
    }
}
