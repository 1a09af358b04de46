/// The source of one step's random values: the stream's random seed and the entry's digest. A replay has both, so it
/// draws the same values; another history has another seed or other digests, and draws others.
///
/// `docs/decisions/time-identity-chance.md` specifies the derivation, so that any program can repeat it.
package struct Seed: Hashable, Sendable {
    /// What a value is used for. Values for different purposes are unrelated.
    enum Purpose: UInt64 {
        case step = 1
        case idempotencyKey = 2
        case queueDelay = 3
        case retry = 4
        case crashLoop = 5
    }

    let stream: Digest
    let entry: Digest

    package init(stream: StreamSeed, entry: Digest) {
        self.stream = stream.digest
        self.entry = entry
    }

    /// The idempotency key of an effect of the step.
    func idempotencyKey(of effect: EffectRun.Identity) -> String {
        let name = Digest(of: effect.name + "\0" + (effect.id ?? ""))
        let words = words(.idempotencyKey, effect.twin, Int(truncatingIfNeeded: name.high))
        return Digest(high: words.0, low: words.1).description
    }

    /// Derives four random words. Hashes one block.
    func words(_ purpose: Purpose, _ first: Int, _ second: Int) -> (UInt64, UInt64, UInt64, UInt64) {
        var message = (
            stream.high.bigEndian, stream.low.bigEndian, entry.high.bigEndian, entry.low.bigEndian,
            (purpose.rawValue << 32 | UInt64(UInt32(truncatingIfNeeded: first))).bigEndian,
            UInt64(bitPattern: Int64(second)).bigEndian
        )
        let words = withUnsafeBytes(of: &message) { SHA256.hash($0) }
        func word(_ index: Int) -> UInt64 { UInt64(words[2 * index]) << 32 | UInt64(words[2 * index + 1]) }
        return (word(0), word(1), word(2), word(3))
    }
}
