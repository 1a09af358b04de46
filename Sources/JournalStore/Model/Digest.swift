/// What an entry is chained to the one before it with: the first 16 bytes of a SHA-256.
///
/// Damage and edits by hand inside a journal change a digest; so every later one is wrong, and ``JournalReader/verify()``
/// names the first. How one is computed stands in `docs/decisions/digest-chain.md`, so that any program can check it.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    static let byteCount = 16

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// The digest of bytes as they stand.
    package init(of bytes: UnsafeRawBufferPointer) {
        let words = SHA256.hash(bytes)
        high = UInt64(words[0]) << 32 | UInt64(words[1])
        low = UInt64(words[2]) << 32 | UInt64(words[3])
    }

    package init(of text: String) {
        var text = text
        self = text.withUTF8 { Digest(of: UnsafeRawBufferPointer($0)) }
    }

    /// A stored digest; nil where it has another length.
    init?(stored bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Digest.byteCount else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// How many bytes it has.
    static let length = 16

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        var words = (high.bigEndian, low.bigEndian)
        return withUnsafeBytes(of: &words, body)
    }

    /// 32 hexadecimal digits, as `hex(digest)` gives them in SQL, in lower case.
    public var description: String {
        [high, low].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }
}

extension Digest {
    /// What step 1 of a stream is chained to: the stream itself, so that a stream made anew has another history.
    package static func genesis(name: String, machine: String, seed: [UInt8]) -> Digest {
        var message = seed
        for text in [name, machine] {
            withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { message.append(contentsOf: $0) }
            message.append(contentsOf: text.utf8)
        }
        return message.withUnsafeBytes { Digest(of: $0) }
    }

    /// The part of an entry's digest that does not depend on its place: computed by the caller, beside the writer.
    static func body(of entry: NewEntry) -> Digest {
        // On the stack: this is done for every action.
        let size = entry.action.utf8.count + (entry.cancelID?.utf8.count ?? 0) + MessageWriter.roomForNumbers
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            var message = MessageWriter(buffer)
            if let id = entry.cancelID {
                message.append(id.utf8.count)
                message.append(sign: ":")
                message.append(id)
                message.append(sign: "|")
            }
            message.append(entry.origin.rawValue)
            message.append(sign: "|")
            message.append(entry.version)
            message.append(sign: "|")
            if let stream = entry.cause?.stream { message.append(Int(stream.rawValue)) }
            message.append(sign: "|")
            if let step = entry.cause?.step { message.append(step) }
            message.append(sign: "|")
            if let run = entry.cause?.run { message.append(run) }
            message.append(sign: "|")
            message.append(entry.action)
            return Digest(of: message.bytes)
        }
    }

    /// The digest of an entry in its place. One block of the hash.
    func chained(body: Digest, step: Int, time: Timestamp) -> Digest {
        var message = (
            high.bigEndian, low.bigEndian, body.high.bigEndian, body.low.bigEndian,
            UInt64(step).bigEndian, UInt64(bitPattern: time.microseconds).bigEndian
        )
        return withUnsafeBytes(of: &message) { Digest(of: $0) }
    }
}

/// Puts a message together in memory that is there already, and large enough.
private struct MessageWriter {
    /// What six numbers of 64 bits and the signs between them take at the most.
    static let roomForNumbers = 6 * 21 + 8

    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: UnsafeRawBufferPointer(bytes))
            count += bytes.count
        }
    }

    mutating func append(sign: Unicode.Scalar) {
        buffer[count] = UInt8(ascii: sign)
        count += 1
    }

    /// In decimal.
    mutating func append(_ number: Int) {
        if (0..<10).contains(number) {
            buffer[count] = UInt8(ascii: "0") + UInt8(number)
            count += 1
        } else {
            append(String(number))
        }
    }
}
