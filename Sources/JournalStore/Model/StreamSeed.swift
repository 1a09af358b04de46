/// The random bytes of a stream, from which the random values of its steps are derived.
///
/// Those of the usual length need no memory of their own: a process can have many open streams.
package struct StreamSeed: Hashable, Sendable {
    private let usual: Digest?
    private let other: [UInt8]

    package init(_ bytes: [UInt8]) {
        usual = bytes.withUnsafeBytes { Digest(stored: $0) }
        other = usual == nil ? bytes : []
    }

    package var bytes: [UInt8] { usual?.withBytes { Array($0) } ?? other }

    /// Sixteen bytes: the seed, or the digest of one of another length.
    var digest: Digest { usual ?? other.withUnsafeBytes { Digest(of: $0) } }
}

extension StreamSeed: ExpressibleByArrayLiteral {
    package init(arrayLiteral bytes: UInt8...) { self.init(bytes) }
}
