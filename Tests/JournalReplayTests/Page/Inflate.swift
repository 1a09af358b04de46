/// Decompresses a block of RFC 1951 with fixed codes, written from its text, to check what `Deflate` writes.
struct Inflate {
    private let bytes: [UInt8]
    private var place = 0

    /// Nil if the block is not what the standard describes.
    static func decompress(_ bytes: [UInt8]) -> [UInt8]? {
        var inflate = Inflate(bytes: bytes)
        return inflate.run()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    private mutating func run() -> [UInt8]? {
        guard number(1) == 1, number(2) == 1 else { return nil }
        var output: [UInt8] = []
        while place / 8 < bytes.count {
            let symbol = symbol()
            if symbol == 256 { return output }
            if symbol < 256 {
                output.append(UInt8(symbol))
                continue
            }
            guard symbol <= 285 else { return nil }
            let length = Inflate.lengths[symbol - 257] + number(symbol == 285 || symbol < 265 ? 0 : (symbol - 261) / 4)
            let code = code(5)
            guard code < 30 else { return nil }
            let distance = Inflate.distances[code] + number(code < 4 ? 0 : code / 2 - 1)
            guard distance <= output.count else { return nil }
            for _ in 0..<length { output.append(output[output.count - distance]) }
        }
        return nil
    }

    private static let lengths = [
        3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227,
        258,
    ]
    private static let distances = [
        1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1_025, 1_537, 2_049, 3_073,
        4_097,
        6_145, 8_193, 12_289, 16_385, 24_577,
    ]

    private mutating func bit() -> Int {
        defer { place += 1 }
        return place / 8 < bytes.count ? Int(bytes[place / 8] >> (place % 8) & 1) : 0
    }

    private mutating func number(_ length: Int) -> Int {
        (0..<length).reduce(0) { $0 | bit() << $1 }
    }

    private mutating func code(_ length: Int) -> Int {
        (0..<length).reduce(0) { code, _ in code << 1 | bit() }
    }

    private mutating func symbol() -> Int {
        var code = code(7)
        if code <= 0b001_0111 { return code + 256 }
        code = code << 1 | bit()
        if (0x30...0xBF).contains(code) { return code - 0x30 }
        if (0xC0...0xC7).contains(code) { return code - 0xC0 + 280 }
        return (code << 1 | bit()) - 0x190 + 144
    }
}
