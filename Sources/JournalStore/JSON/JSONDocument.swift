/// A text and its tokens, decoded to values on request.
package final class JSONDocument {
    private(set) var base: UnsafePointer<UInt8>
    let tokens: UnsafeMutablePointer<JSONToken>
    private let length: Int
    private let stack: RawStack<JSONToken>
    private var kept: UnsafeMutablePointer<UInt8>?
    private(set) var hasGivenUp = false
    /// The members of objects whose keys cannot be compared by their bytes alone, or are many, by the object's token.
    var memberIndices: [Int: [String: Int]] = [:]
    /// How often many keys of an object were looked at for one.
    var longSearches: [Int: Int] = [:]

    /// - Parameter bytes: the text, which must stay valid until ``keepText()`` is called.
    /// - Throws: ``NotForUs`` if the rules do not accept the text.
    init(_ bytes: UnsafeBufferPointer<UInt8>, _ rules: JSONScan.Rules = .coder) throws(NotForUs) {
        guard let base = bytes.baseAddress else { throw NotForUs() }
        var scan = JSONScan(bytes, base, rules)
        guard scan.run() else {
            scan.tokens.free()
            throw NotForUs()
        }
        self.base = base
        length = bytes.count
        stack = scan.tokens
        tokens = stack.base
    }

    deinit {
        stack.free()
        kept?.deallocate()
    }

    /// Copies the text for the decoders that are still referenced.
    func keepText() {
        let copy = UnsafeMutablePointer<UInt8>.allocate(capacity: length)
        copy.initialize(from: base, count: length)
        kept = copy
        base = UnsafePointer(copy)
    }

    /// The token of a null that is not part of the text.
    var null: Int { stack.count - 1 }

    /// Leaves the text to Foundation, whatever is decoded from it.
    func giveUp() {
        hasGivenUp = true
    }

    @inline(__always)
    package func bytes(_ token: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: base + Int(tokens[token].start), count: Int(tokens[token].count))
    }

    @inline(__always)
    func isNull(_ token: Int) -> Bool { tokens[token].kind == .null }

    @inline(__always)
    func isNumber(_ token: Int) -> Bool { tokens[token].kind == .whole || tokens[token].kind == .number }

    // MARK: Values

    @inline(__always)
    func bool(_ token: Int) throws -> Bool {
        switch tokens[token].kind {
        case .yes: return true
        case .no: return false
        // Foundation reports a null as a mismatch as well, but only for Bool.
        default: throw mismatch(token, Bool.self)
        }
    }

    @inline(__always)
    func text(_ token: Int) throws -> String {
        try require(.text, token, String.self)
        return unchecked(text: token)
    }

    @inline(__always)
    package func unchecked(text token: Int) -> String {
        guard !tokens[token].traits.contains(.escaped) else { return JSONEscape.unescape(bytes(token)) }
        return String(decoding: bytes(token), as: UTF8.self)
    }

    @inline(__always)
    func whole<Value: FixedWidthInteger & Decodable>(_ token: Int) throws -> Value {
        if tokens[token].kind == .whole, let value: Value = JSONNumber.whole(bytes(token)) { return value }
        return try unusual(token)
    }

    /// Decodes 1.0, 1e3, or a number that the type may not hold.
    @inline(never)
    private func unusual<Value: FixedWidthInteger & Decodable>(_ token: Int) throws -> Value {
        try requireNumber(token, Value.self)
        guard let number = JSONNumber.double(bytes(token)), number.magnitude < 0x1p53 else {
            return try decodeByFoundation(Value.self, token)
        }
        guard let value = Value(exactly: number) else { throw UnreadableNumber() }
        return value
    }

    func double(_ token: Int) throws -> Double {
        try requireNumber(token, Double.self)
        return try JSONNumber.double(bytes(token)) ?? decodeByFoundation(Double.self, token)
    }

    func float(_ token: Int) throws -> Float {
        try requireNumber(token, Float.self)
        return try JSONNumber.float(bytes(token)) ?? decodeByFoundation(Float.self, token)
    }
}

/// A number that its type cannot hold. Not a `DecodingError`, as in Foundation, for code that catches only those.
struct UnreadableNumber: Error {}

/// A text or value that Foundation must decode.
struct NotForUs: Error {}
