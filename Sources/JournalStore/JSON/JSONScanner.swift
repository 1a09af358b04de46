/// Reads the JSON of one line by RFC 8259, as far as an import needs it: objects of integers, strings and nulls.
///
/// Not `JSONDecoder`, because a million lines must be read in seconds, and texts byte for byte. A string stays in
/// ``text`` only until the next one is read.
struct JSONScanner {
    /// The line is not JSON, or has another structure.
    struct Failure: Error, Hashable {}

    enum Value: Hashable {
        case null
        case integer(Int64)
        /// A string; it is in ``JSONScanner/text``.
        case text
        /// Bytes that are not a valid text; they are in ``JSONScanner/text``.
        case bytes
    }

    var rest: UnsafeBufferPointer<UInt8>.SubSequence
    /// The last string that was read, decoded.
    var text: [UInt8] = []

    /// - Parameter line: the line, which must outlive this value.
    init(_ line: UnsafeBufferPointer<UInt8>) {
        rest = line[...]
    }

    /// Starts another line, and reuses the memory for strings.
    mutating func begin(_ line: UnsafeBufferPointer<UInt8>) {
        rest = line[...]
    }

    /// Whether only blanks are left.
    mutating func isAtEnd() -> Bool {
        skipBlanks()
        return rest.isEmpty
    }

    /// Reads an object. The closure is called after each key, which is in ``text``, and reads the value.
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

    /// The bytes that hexadecimal digits encode.
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

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        skipBlanks()
        return takeHere(character)
    }

    mutating func takeHere(_ character: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    private mutating func integer() throws(Failure) -> Int64 {
        let word = rest.prefix { $0 == UInt8(ascii: "-") || (0x30...0x39).contains($0) }
        let digits = word.first == UInt8(ascii: "-") ? word.dropFirst() : word
        rest = rest.dropFirst(word.count)
        // A fraction or an exponent would follow here; such a number is not an integer.
        guard let value = Int64(String(decoding: word, as: UTF8.self)), digits.count == 1 || digits.first != 0x30,
            rest.first.map({ "eE.".utf8.contains($0) }) != true
        else { throw Failure() }
        return value
    }
}
