/// Converts numbers that the scan has already validated.
enum JSONNumber {
    /// The value of digits with an optional sign; nil if the type cannot hold it.
    @inline(__always)
    static func whole<Value: FixedWidthInteger>(_ bytes: UnsafeBufferPointer<UInt8>) -> Value? {
        guard let first = bytes.first else { return nil }
        let isNegative = first == UInt8(ascii: "-")
        let digits = bytes[(isNegative ? 1 : 0)...]
        // 18 digits fit into 64 bits: no overflow checks are needed.
        guard digits.count <= 18 else { return long(digits, isNegative) }
        var magnitude: UInt64 = 0
        for digit in digits { magnitude = magnitude &* 10 &+ UInt64(digit &- 0x30) }
        let signed = Int64(bitPattern: magnitude)
        return Value(exactly: isNegative ? -signed : signed)
    }

    @inline(never)
    private static func long<Value: FixedWidthInteger>(
        _ digits: Slice<UnsafeBufferPointer<UInt8>>, _ isNegative: Bool
    ) -> Value? {
        var value: Value = 0
        for byte in digits {
            guard let digit = Value(exactly: byte &- 0x30) else { return nil }
            let (tens, isTooLong) = value.multipliedReportingOverflow(by: 10)
            let (sum, isTooMuch) =
                isNegative ? tens.subtractingReportingOverflow(digit) : tens.addingReportingOverflow(digit)
            guard !isTooLong, !isTooMuch else { return nil }
            value = sum
        }
        return value
    }

    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
        1e20, 1e21, 1e22,
    ]

    /// The nearest number; nil if it is not finite, or a zero that Foundation may reject.
    static func double(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        exact(bytes) ?? converted(bytes)
    }

    static func float(_ bytes: UnsafeBufferPointer<UInt8>) -> Float? {
        converted(bytes)
    }

    private static func converted<Value: BinaryFloatingPoint & LosslessStringConvertible>(
        _ bytes: UnsafeBufferPointer<UInt8>
    ) -> Value? {
        guard let value = Value(String(decoding: bytes, as: UTF8.self)), value.isFinite else { return nil }
        return value != 0 || isPlainZero(bytes) ? value : nil
    }

    /// Whether the number is zero and has no exponent: Foundation rejects 0e3, but accepts 0e03 as zero.
    private static func isPlainZero(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        bytes.allSatisfy { $0 == UInt8(ascii: "0") || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }
    }

    /// Divides digits by a power of ten if a Double represents both exactly: rounded once, the result is the nearest.
    private static func exact(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
        guard bytes.count <= 20 else { return nil }
        var digits: UInt64 = 0
        var isNegative = false
        var fraction = 0
        var isFraction = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "-"): isNegative = true
            case UInt8(ascii: "."): isFraction = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits < 1 << 53 else { return nil }
                digits = digits * 10 + UInt64(byte - 0x30)
                if isFraction { fraction += 1 }
            default: return nil
            }
        }
        guard digits <= 1 << 53, fraction < powers.count else { return nil }
        let value = Double(digits) / powers[fraction]
        return isNegative ? -value : value
    }
}
