/// Columns of whole numbers for the page: small numbers take one byte, and a column compresses better than rows.
struct PageColumns: Sendable {
    private var columns: [[UInt8]]
    private(set) var count = 0

    init(_ width: Int) {
        columns = Array(repeating: [], count: width)
    }

    /// Appends one row.
    mutating func append(_ row: [Int64]) {
        for (index, value) in row.enumerated() { PageColumns.append(value, to: &columns[index]) }
        count += 1
    }

    /// The rows' number, and each column with its length before it. Removes them.
    mutating func take() -> [UInt8] {
        var bytes: [UInt8] = []
        PageColumns.append(Int64(count), to: &bytes)
        for index in columns.indices {
            PageColumns.append(Int64(columns[index].count), to: &bytes)
            bytes += columns[index]
            columns[index].removeAll(keepingCapacity: true)
        }
        count = 0
        return bytes
    }

    /// Seven bits a byte, the lowest first; the sign is the lowest bit of all.
    private static func append(_ value: Int64, to bytes: inout [UInt8]) {
        var rest = UInt64(bitPattern: value << 1 ^ value >> 63)
        while rest >= 0x80 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }
}
