/// Compresses bytes into the format of RFC 1951, in one block with the fixed Huffman codes.
///
/// The toolchain has no compressor on Linux. A browser decompresses this with `DecompressionStream("deflate-raw")`.
struct Deflate {
    /// The farthest a match may go back.
    private static let window = 1 << 15
    private static let hashes = 1 << 15
    /// How many earlier places are compared: more find longer matches, in more time.
    private static let mostTries = 24
    private static let longestMatch = 258

    private var output: BitOutput
    /// The newest place of each hash, and for each place the one before it with the same hash; -1 for none.
    private var newest = [Int32](repeating: -1, count: hashes)
    private var earlier: [Int32]

    static func compress(_ bytes: [UInt8]) -> [UInt8] {
        var deflate = Deflate(count: bytes.count)
        bytes.withUnsafeBufferPointer { deflate.run($0) }
        return deflate.output.finish()
    }

    private init(count: Int) {
        output = BitOutput(capacity: count / 3 + 16)
        earlier = [Int32](repeating: -1, count: count)
    }

    private mutating func run(_ bytes: UnsafeBufferPointer<UInt8>) {
        // The last block, with fixed codes.
        output.append(0b011, 3)
        var place = 0
        while place < bytes.count {
            let match = match(in: bytes, at: place)
            if match.length >= 4 {
                write(match)
                for passed in place..<place + match.length { note(passed, bytes) }
                place += match.length
            } else {
                write(symbol: Int(bytes[place]))
                note(place, bytes)
                place += 1
            }
        }
        write(symbol: 256)
    }

    // MARK: Matches

    private struct Match {
        var length = 0
        var distance = 0
    }

    private static func hash(_ bytes: UnsafeBufferPointer<UInt8>, _ place: Int) -> Int {
        let word =
            UInt32(bytes[place]) | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2]) << 16
            | UInt32(bytes[place + 3]) << 24
        return Int((word &* 0x9E37_79B1) >> 17)
    }

    private mutating func note(_ place: Int, _ bytes: UnsafeBufferPointer<UInt8>) {
        guard place + 4 <= bytes.count else { return }
        let hash = Deflate.hash(bytes, place)
        earlier[place] = newest[hash]
        newest[hash] = Int32(truncatingIfNeeded: place)
    }

    /// The longest match that a few tries find.
    private func match(in bytes: UnsafeBufferPointer<UInt8>, at place: Int) -> Match {
        var best = Match()
        let most = min(Deflate.longestMatch, bytes.count - place)
        guard most >= 4 else { return best }
        var candidate = Int(newest[Deflate.hash(bytes, place)])
        var tries = Deflate.mostTries
        while candidate >= 0, place - candidate <= Deflate.window, tries > 0 {
            tries -= 1
            // Only a match that is longer than the best has this byte.
            if bytes[candidate + best.length] == bytes[place + best.length] {
                var length = 0
                while length < most, bytes[candidate + length] == bytes[place + length] { length += 1 }
                if length > best.length {
                    best = Match(length: length, distance: place - candidate)
                    if length == most { return best }
                }
            }
            candidate = Int(earlier[candidate])
        }
        return best
    }

    // MARK: Codes, RFC 1951, 3.2.5 and 3.2.6

    private mutating func write(symbol: Int) {
        switch symbol {
        case ..<144: output.append(code: 0x30 + symbol, 8)
        case ..<256: output.append(code: 0x190 + symbol - 144, 9)
        case ..<280: output.append(code: symbol - 256, 7)
        default: output.append(code: 0xC0 + symbol - 280, 8)
        }
    }

    private mutating func write(_ match: Match) {
        let length = match.length - 3
        if match.length == Deflate.longestMatch {
            write(symbol: 285)
        } else if length < 8 {
            write(symbol: 257 + length)
        } else {
            let extra = Deflate.bits(length) - 3
            write(symbol: 257 + 4 * (extra + 1) + (length >> extra) & 3)
            output.append(UInt64(length & ((1 << extra) - 1)), extra)
        }
        let distance = match.distance - 1
        if distance < 4 {
            output.append(code: distance, 5)
        } else {
            let extra = Deflate.bits(distance) - 2
            output.append(code: 2 * (extra + 1) + (distance >> extra) & 1, 5)
            output.append(UInt64(distance & ((1 << extra) - 1)), extra)
        }
    }

    /// How many bits a number has.
    private static func bits(_ number: Int) -> Int { Int.bitWidth - number.leadingZeroBitCount }
}

/// Bytes that are filled from their lowest bit on.
private struct BitOutput {
    private var bytes: [UInt8] = []
    private var pending: UInt64 = 0
    private var count = 0

    init(capacity: Int) {
        bytes.reserveCapacity(capacity)
    }

    /// - Parameter length: 40 bits at most.
    mutating func append(_ bits: UInt64, _ length: Int) {
        pending |= bits << UInt64(count)
        count += length
        while count >= 8 {
            bytes.append(UInt8(truncatingIfNeeded: pending))
            pending >>= 8
            count -= 8
        }
    }

    /// Appends a Huffman code, which begins with its highest bit.
    mutating func append(code: Int, _ length: Int) {
        var reversed: UInt64 = 0
        for bit in 0..<length where code >> bit & 1 == 1 { reversed |= 1 << UInt64(length - 1 - bit) }
        append(reversed, length)
    }

    mutating func finish() -> [UInt8] {
        if count > 0 { append(0, 8 - count) }
        return bytes
    }
}
