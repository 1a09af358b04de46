extension JSONOutput {
    @inline(__always)
    mutating func append(_ value: Bool) {
        if value { append(plain: "true") } else { append(plain: "false") }
    }

    @inline(__always)
    mutating func append(number value: some FixedWidthInteger) {
        if let narrow = Int64(exactly: value) {
            append(digits: narrow.magnitude, isNegative: narrow < 0)
        } else if let narrow = UInt64(exactly: value) {
            append(digits: narrow, isNegative: false)
        } else {
            append(plain: String(value))
        }
    }

    private mutating func append(digits magnitude: UInt64, isNegative: Bool) {
        var length = 1
        var bound: UInt64 = 10
        while magnitude >= bound {
            length += 1
            // 10^20 does not fit into 64 bits.
            guard length < 20 else { break }
            bound &*= 10
        }
        if isNegative { append(UInt8(ascii: "-")) }
        let start = reserve(length)
        var rest = magnitude
        var place = length
        while place > 0 {
            place -= 1
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            start[place] = UInt8(truncatingIfNeeded: digit) | 0x30
            rest = quotient
        }
        add(length)
    }

    /// Writes the shortest text that decodes to the same number, without the ".0" of a whole number.
    mutating func append(number value: Double) {
        // A whole number below 2^53 is written as digits alone. Zero is excluded because it may be negative.
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53, whole != 0 {
            append(digits: whole.magnitude, isNegative: whole < 0)
        } else {
            append(described: value.description)
        }
    }

    mutating func append(number value: Float) {
        append(described: value.description)
    }

    private mutating func append(described number: String) {
        append(plain: number)
        if count >= 2, base[count - 2] == UInt8(ascii: "."), base[count - 1] == UInt8(ascii: "0") {
            add(-2)
        }
    }
}
