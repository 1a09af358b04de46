/// The row digests of a stream's records, combined by XOR, or the change of such a combination. A record that is
/// missing or was added makes a difference.
package struct RecordsDigest: Hashable, Sendable {
    /// Of all records.
    var all = Digest.none
    /// Of the records that an opening restores.
    var live = Digest.none

    init(all: Digest, live: Digest) {
        (self.all, self.live) = (all, live)
    }

    /// One record.
    init(_ digest: Digest, isLive: Bool) {
        self.init(all: digest, live: isLive ? digest : .none)
    }

    package init() {}

    static func ^ (left: RecordsDigest, right: RecordsDigest) -> RecordsDigest {
        RecordsDigest(all: left.all ^ right.all, live: left.live ^ right.live)
    }

    static func ^= (left: inout RecordsDigest, right: RecordsDigest) { left = left ^ right }
}
