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
        digest(of: seed) { message in
            message.append(text: name)
            message.append(text: machine)
        }
    }

    /// The part of an entry's digest that does not depend on its place: computed by the caller, beside the writer.
    static func body(of entry: NewEntry) -> Digest {
        digest(of: []) { message in
            message.append(entry.origin.rawValue)
            message.append(entry.version)
            message.append(Int(entry.cause?.stream?.rawValue ?? -1))
            message.append(entry.cause?.step ?? -1)
            message.append(entry.cause?.run ?? -1)
            message.append(text: entry.action)
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

    private static func digest(of prefix: [UInt8], _ build: (inout Message) -> Void) -> Digest {
        var message = Message(bytes: prefix)
        build(&message)
        return message.bytes.withUnsafeBytes { Digest(of: $0) }
    }

    /// Numbers as eight bytes, the most significant first; texts behind their length.
    private struct Message {
        var bytes: [UInt8]

        mutating func append(_ number: Int) {
            withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).bigEndian) { bytes.append(contentsOf: $0) }
        }

        mutating func append(text: String) {
            append(text.utf8.count)
            bytes.append(contentsOf: text.utf8)
        }
    }
}
