internal import CJournalSQLite

/// The SQL function `row_digest(table, value, …)`: the digest of a row's values.
///
/// It hashes one item for each value, first the table's name: a byte for the kind, then the value.
///
/// | value | kind | bytes |
/// |---|---|---|
/// | NULL | 0 | none |
/// | integer | 1 to 8: their number | the fewest that hold it, in two's complement, most significant first |
/// | text, blob of up to 255 bytes | 16, 17 | one for the length, and those of the value |
/// | longer text, blob | 18, 19 | eight for the length, and the 16 of the value's digest |
///
/// `docs/decisions/row-digests.md` says why it is a function of SQL.
enum RowDigest {
    /// Makes the function known to a connection. It can be called by statements, not by what is in a file.
    ///
    /// - Parameter last: gets the digest of each call.
    static func register(_ handle: OpaquePointer, last: UnsafeMutablePointer<Digest>) {
        sqlite3_create_function_v2(
            handle, "row_digest", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY, last,
            { context, count, values in
                guard let context, let values else { return }
                let digest = RowDigest.digest(UnsafeBufferPointer(start: values, count: Int(count)))
                sqlite3_user_data(context)?.assumingMemoryBound(to: Digest.self).pointee = digest
                digest.withBytes {
                    csqlite_result_blob(context, $0.baseAddress, Int32($0.count))
                }
            }, nil, nil, nil)
    }

    private static func digest(_ values: UnsafeBufferPointer<OpaquePointer?>) -> Digest {
        var size = 0
        for value in values { size += room(for: value) }
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            var count = 0
            for value in values { append(value, to: buffer, &count) }
            return Digest(of: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
    }

    private static let short = 255

    private static func room(for value: OpaquePointer?) -> Int {
        switch sqlite3_value_type(value) {
        case SQLITE_TEXT, SQLITE_BLOB:
            // The text before its length: https://www.sqlite.org/c3ref/column_blob.html
            _ = sqlite3_value_blob(value)
            let length = Int(sqlite3_value_bytes(value))
            return length <= short ? 2 + length : 1 + 8 + Digest.length
        default: return 9
        }
    }

    private static func append(
        _ value: OpaquePointer?, to buffer: UnsafeMutableRawBufferPointer, _ count: inout Int
    ) {
        func append(_ byte: UInt8) {
            buffer[count] = byte
            count += 1
        }
        func append(_ bytes: UnsafeRawBufferPointer) {
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
            count += bytes.count
        }
        switch sqlite3_value_type(value) {
        case SQLITE_INTEGER:
            let number = sqlite3_value_int64(value)
            // One bit for the sign.
            let bits = Int64.bitWidth - (number < 0 ? ~number : number).leadingZeroBitCount + 1
            let length = (bits + 7) / 8
            append(UInt8(length))
            for index in (0..<length).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
        case SQLITE_TEXT, SQLITE_BLOB:
            let kind: UInt8 = sqlite3_value_type(value) == SQLITE_TEXT ? 0 : 1
            let address = sqlite3_value_blob(value)
            let bytes = UnsafeRawBufferPointer(start: address, count: Int(sqlite3_value_bytes(value)))
            if bytes.count <= short {
                append(16 + kind)
                append(UInt8(bytes.count))
                append(bytes)
            } else {
                append(18 + kind)
                withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { append($0) }
                Digest(of: bytes).withBytes { append($0) }
            }
        default:
            append(0)
        }
    }
}
