/// Checks, entry by entry, that a reader gets what was committed: each entry must be the next one and have its digest.
/// Does no I/O.
struct ChainFollower: Hashable {
    private let headStep: Int
    private let headDigest: Digest
    /// The step of the last entry.
    private var step: Int
    /// The digest of the last entry.
    private var digest: Digest

    enum Break: Error, Hashable {
        case missing(step: Int, next: Int)
        case changed(step: Int)
    }

    init(_ stream: StreamInfo, after step: Int, digest: Digest) {
        (headStep, headDigest) = (stream.headStep, stream.headDigest)
        (self.step, self.digest) = (step, digest)
    }

    /// - Parameter body: the part of the entry's digest that does not depend on its place and time.
    mutating func follow(
        _ next: Int, _ body: Digest, position: Int, _ stamp: Appended.Stamp
    ) throws(Break) {
        guard next == step + 1 else { throw .missing(step: step + 1, next: next) }
        guard digest.chained(body: body, position: position, time: stamp.time) == stamp.digest,
            next != headStep || stamp.digest == headDigest
        else { throw .changed(step: next) }
        skip(to: next, stamp.digest)
    }

    /// Goes on after an entry with this digest.
    mutating func skip(to step: Int, _ digest: Digest) {
        (self.step, self.digest) = (step, digest)
    }
}

extension ChainFollower.Break {
    func error(_ location: ErrorLocation) -> JournalError {
        switch self {
        case .missing(let step, let next):
            location.at(step).error(
                .corrupt, "The entry is missing; the next one is step \(next).",
                advice: JournalError.adviceForMissingEntry)
        case .changed(let step):
            location.at(step).error(
                .corrupt, "The entry does not have its digest: it was damaged or changed by hand.",
                advice: JournalError.adviceForDamage)
        }
    }
}
