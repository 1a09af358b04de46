/// Scans a text once into tokens: for the coder, for an import, and for the tool.
///
/// Only strict JSON is accepted. Foundation accepts more, such as a trailing comma or an invalid number that is never
/// decoded, and it reports what is wrong with an invalid text: the coder leaves all such texts to it.
struct JSONScan {
    /// Which texts are accepted. The rules have the same grammar, and differ in strings and in depth.
    enum Rules {
        /// 500 levels, and no half of a surrogate pair: Foundation rejects it, and no UTF-8 text can contain it.
        case coder
        /// 512 levels, and half of a surrogate pair, which RFC 8259 allows: another encoder may have written the text.
        case stored
        /// Also control characters in a string, and a backslash before any character: for a string in a text that need
        /// not be JSON.
        case loose
    }

    private let base: UnsafePointer<UInt8>
    private let end: UnsafePointer<UInt8>
    private var place: UnsafePointer<UInt8>
    private(set) var tokens: RawStack<JSONToken>
    /// The open container, and the index of the value in it.
    private var parent: UInt32 = 0
    private var index: UInt32 = 0
    private let rules: Rules

    /// Foundation refuses 513; texts near that depth are left to it.
    private static let deepest = 500

    init(_ bytes: UnsafeBufferPointer<UInt8>, _ base: UnsafePointer<UInt8>, _ rules: Rules) {
        self.rules = rules
        self.base = base
        place = base
        end = base + bytes.count
        // A text with more tokens than this is long enough that growing the stack costs little.
        tokens = RawStack(capacity: bytes.count / 6 + 8)
    }

    /// - Returns: whether the text is one strict JSON value. If not, the tokens are invalid.
    mutating func run() -> Bool {
        guard end - base < Int(UInt32.max) else { return false }
        skipSpace()
        guard value(depth: rules == .coder ? 0 : Self.deepest - 512) else { return false }
        skipSpace()
        guard place == end else { return false }
        // The value that `superDecoder` decodes if the key is missing.
        tokens.append(JSONToken(kind: .null, start: 0, count: 0, next: 0, parent: 0, index: 0))
        return true
    }

    @inline(__always)
    private mutating func skipSpace() {
        while place < end, place.pointee <= 0x20 {
            guard Self.isSpace(place.pointee) else { return }
            place += 1
        }
    }

    @inline(__always)
    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09
    }

    @inline(__always)
    private mutating func take(_ byte: UInt8) -> Bool {
        guard place < end, place.pointee == byte else { return false }
        place += 1
        return true
    }

    private mutating func value(depth: Int) -> Bool {
        guard place < end else { return false }
        switch place.pointee {
        case UInt8(ascii: "\""): return text() != nil
        case UInt8(ascii: "{"): return depth < Self.deepest && object(depth: depth + 1)
        case UInt8(ascii: "["): return depth < Self.deepest && array(depth: depth + 1)
        case UInt8(ascii: "t"): return word("true", .yes)
        case UInt8(ascii: "f"): return word("false", .no)
        case UInt8(ascii: "n"): return word("null", .null)
        default: return number()
        }
    }

    private mutating func word(_ word: StaticString, _ kind: JSONToken.Kind) -> Bool {
        let length = word.utf8CodeUnitCount
        guard end - place >= length, Platform.compare(place, word.utf8Start, length) == 0 else { return false }
        add(kind, from: place, length)
        place += length
        return true
    }

    @inline(__always)
    private mutating func add(
        _ kind: JSONToken.Kind, _ traits: JSONToken.Traits = [], from start: UnsafePointer<UInt8>, _ length: Int
    ) {
        tokens.append(
            JSONToken(
                kind: kind, traits: traits, start: UInt32(truncatingIfNeeded: start - base),
                count: UInt32(truncatingIfNeeded: length), next: UInt32(truncatingIfNeeded: tokens.count + 1),
                parent: parent, index: index))
    }

    // MARK: Containers

    /// - Returns: its token, and the parent and index to restore after it.
    @inline(__always)
    private mutating func open(_ kind: JSONToken.Kind) -> (token: Int, parent: UInt32, index: UInt32) {
        defer { parent = UInt32(truncatingIfNeeded: tokens.count - 1) }
        add(kind, from: place, 0)
        place += 1
        return (tokens.count - 1, parent, index)
    }

    private mutating func array(depth: Int) -> Bool {
        let (token, outer, position) = open(.array)
        skipSpace()
        var count: UInt32 = 0
        if !take(UInt8(ascii: "]")) {
            repeat {
                skipSpace()
                index = count
                guard value(depth: depth) else { return false }
                count += 1
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "]")) else { return false }
        }
        finish(token, count, [])
        (parent, index) = (outer, position)
        return true
    }

    private mutating func object(depth: Int) -> Bool {
        let (token, outer, position) = open(.object)
        skipSpace()
        var count: UInt32 = 0
        var traits: JSONToken.Traits = []
        if !take(UInt8(ascii: "}")) {
            var last = -1
            repeat {
                skipSpace()
                let key = tokens.count
                guard let found = text() else { return false }
                traits.formUnion(found)
                if last >= 0, !ascend(last, key) { traits.insert(.unsorted) }
                last = key
                skipSpace()
                guard take(UInt8(ascii: ":")) else { return false }
                skipSpace()
                guard value(depth: depth) else { return false }
                count += 1
                skipSpace()
            } while take(UInt8(ascii: ","))
            guard take(UInt8(ascii: "}")) else { return false }
        }
        finish(token, count, traits)
        (parent, index) = (outer, position)
        return true
    }

    @inline(__always)
    private func finish(_ token: Int, _ count: UInt32, _ traits: JSONToken.Traits) {
        tokens.base[token].count = count
        tokens.base[token].traits = traits
        tokens.base[token].start = UInt32(truncatingIfNeeded: token + 1)
        tokens.base[token].next = UInt32(truncatingIfNeeded: tokens.count)
    }

    @inline(__always)
    private func ascend(_ left: Int, _ right: Int) -> Bool {
        let (left, right) = (tokens.base[left], tokens.base[right])
        let order = Platform.compare(base + Int(left.start), base + Int(right.start), Int(min(left.count, right.count)))
        return order != 0 ? order < 0 : left.count < right.count
    }

    // MARK: Texts

    @inline(__always)
    mutating func text() -> JSONToken.Traits? {
        guard take(UInt8(ascii: "\"")) else { return nil }
        let start = place
        var traits: JSONToken.Traits = []
        var wide: UInt8 = 0
        while place < end {
            let byte = place.pointee
            if byte == UInt8(ascii: "\"") {
                if wide >= 0x80 { traits.insert(.wide) }
                add(.text, traits, from: start, place - start)
                place += 1
                return traits
            }
            guard byte >= 0x20 || rules == .loose else { return nil }
            wide |= byte
            place += 1
            if byte == UInt8(ascii: "\\") {
                traits.insert(.escaped)
                if let escape = JSONEscape(at: place, end, rules) {
                    place += escape.length
                } else {
                    guard rules == .loose, place < end, place.pointee != UInt8(ascii: "u") else { return nil }
                    place += 1
                }
            }
        }
        return nil
    }

    // MARK: Numbers

    private mutating func number() -> Bool {
        let start = place
        _ = take(UInt8(ascii: "-"))
        if !take(UInt8(ascii: "0")) {
            guard digits() else { return false }
        }
        var kind = JSONToken.Kind.whole
        if take(UInt8(ascii: ".")) {
            kind = .number
            guard digits() else { return false }
        }
        if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
            kind = .number
            if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
            guard digits() else { return false }
        }
        add(kind, from: start, place - start)
        return true
    }

    /// Reads at least one digit.
    @inline(__always)
    private mutating func digits() -> Bool {
        let start = place
        while place < end, place.pointee &- 0x30 < 10 { place += 1 }
        return place > start
    }
}
