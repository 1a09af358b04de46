/// A digest that chains an entry to the one before it: the first 16 bytes of a SHA-256.
///
/// Damage and manual edits inside a journal break the chain, and ``JournalReader/verify()`` names the step where it
/// breaks. `docs/decisions/digest-chain.md` specifies the computation, so that any program can check it.
public struct Digest: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Hashes the bytes unchanged.
    package init(of bytes: UnsafeRawBufferPointer) {
        let words = SHA256.hash(bytes)
        high = UInt64(words[0]) << 32 | UInt64(words[1])
        low = UInt64(words[2]) << 32 | UInt64(words[3])
    }

    package init(of text: String) {
        var text = text
        self = text.withUTF8 { Digest(of: UnsafeRawBufferPointer($0)) }
    }

    /// Reads a stored digest; nil if it has another length.
    init?(stored bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Digest.length else { return nil }
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    /// The number of bytes in a digest.
    static let length = 16

    /// Its bytes, in their order.
    var words: (UInt64, UInt64) { (high.bigEndian, low.bigEndian) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words, body)
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
    /// The digest that step 1 is chained to. The seed makes it differ between streams with the same name and machine.
    package static func genesis(name: String, machine: String, seed: [UInt8]) -> Digest {
        var message = seed
        for text in [name, machine] {
            withUnsafeBytes(of: UInt64(text.utf8.count).bigEndian) { message.append(contentsOf: $0) }
            message.append(contentsOf: text.utf8)
        }
        return message.withUnsafeBytes { Digest(of: $0) }
    }

    /// The part of an entry's digest that does not depend on its place and time; the caller computes it, not the
    /// writer.
    static func body(of entry: NewEntry) -> Digest {
        body(entry.storedOrigin, entry.version, entry.cause, entry.cancelID, entry.action)
    }

    static func body(of entry: Entry) -> Digest {
        body(entry.storedOrigin, entry.version, entry.cause, entry.cancelID, entry.action)
    }

    private static func body(
        _ origin: StoredOrigin, _ version: Int, _ cause: Cause?, _ cancelID: String?, _ action: String
    ) -> Digest {
        var action = action
        return action.withUTF8 {
            body(
                origin: origin, version: version, cause: cause, cancelID: cancelID, action: UnsafeRawBufferPointer($0))
        }
    }

    static func body(
        origin: StoredOrigin, version: Int, cause: Cause?, cancelID: String?, action: UnsafeRawBufferPointer
    ) -> Digest {
        // A buffer on the stack: this runs for every action.
        let size = action.count + (cancelID?.utf8.count ?? 0) + MessageWriter.roomForNumbers
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { buffer in
            var message = MessageWriter(buffer)
            if let id = cancelID {
                message.append(id.utf8.count)
                message.append(sign: ":")
                message.append(id)
                message.append(sign: "|")
            }
            message.append(origin.rawValue)
            message.append(sign: "|")
            message.append(version)
            message.append(sign: "|")
            if let stream = cause?.stream { message.append(Int(stream.rawValue)) }
            message.append(sign: "|")
            if let step = cause?.step { message.append(step) }
            message.append(sign: "|")
            if let run = cause?.run { message.append(run) }
            message.append(sign: "|")
            message.append(action)
            return Digest(of: message.bytes)
        }
    }

    /// The combination of two sets of digests that have none in common. Combining a digest twice removes it again.
    static func ^ (left: Digest, right: Digest) -> Digest {
        Digest(high: left.high ^ right.high, low: left.low ^ right.low)
    }

    static func ^= (left: inout Digest, right: Digest) { left = left ^ right }

    /// The combination of no digests.
    static let none = Digest(high: 0, low: 0)

    /// The digest of the entry that follows this one, from its body digest, position and time. Hashes one block. Its
    /// step follows from the chain.
    func chained(body: Digest, position: Int, time: Timestamp) -> Digest {
        var message = (
            high.bigEndian, low.bigEndian, body.high.bigEndian, body.low.bigEndian,
            UInt64(position).bigEndian, UInt64(bitPattern: time.microseconds).bigEndian
        )
        return withUnsafeBytes(of: &message) { Digest(of: $0) }
    }
}

/// Assembles a message in a preallocated buffer that is large enough.
private struct MessageWriter {
    /// The most bytes that six 64-bit numbers and the separators between them take.
    static let roomForNumbers = 6 * 21 + 8

    private let buffer: UnsafeMutableRawBufferPointer
    private var count = 0

    init(_ buffer: UnsafeMutableRawBufferPointer) {
        self.buffer = buffer
    }

    var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: buffer[..<count]) }

    mutating func append(_ text: String) {
        var text = text
        text.withUTF8 { append(UnsafeRawBufferPointer($0)) }
    }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        UnsafeMutableRawBufferPointer(rebasing: buffer[count...]).copyMemory(from: bytes)
        count += bytes.count
    }

    mutating func append(sign: Unicode.Scalar) {
        buffer[count] = UInt8(ascii: sign)
        count += 1
    }

    /// Appends the number in decimal.
    mutating func append(_ number: Int) {
        if (0..<10).contains(number) {
            buffer[count] = UInt8(ascii: "0") + UInt8(number)
            count += 1
        } else {
            append(String(number))
        }
    }
}
