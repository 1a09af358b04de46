/// Splits bytes that arrive in pieces into lines.
struct ImportLines {
    /// The beginning of a line whose end has not arrived yet.
    private(set) var rest: [UInt8] = []

    mutating func add<Failure: Error>(
        _ bytes: [UInt8], _ line: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var begin = 0
        while let end = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
            if rest.isEmpty {
                try ImportLines.give(bytes, begin..<end, line)
            } else {
                rest += bytes[begin..<end]
                try ImportLines.give(rest, rest.indices, line)
                rest.removeAll(keepingCapacity: true)
            }
            begin = end + 1
        }
        rest += bytes[begin...]
    }

    /// Passes the last line on, which may lack a newline.
    mutating func end<Failure: Error>(_ line: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void) throws(Failure) {
        guard !rest.isEmpty else { return }
        try ImportLines.give(rest, rest.indices, line)
    }

    private static func give<Failure: Error>(
        _ bytes: [UInt8], _ range: Range<Int>, _ line: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Void
    ) throws(Failure) {
        var failure: Failure?
        bytes.withUnsafeBufferPointer { buffer in
            do throws(Failure) { try line(UnsafeBufferPointer(rebasing: buffer[range])) } catch { failure = error }
        }
        if let failure { throw failure }
    }
}
