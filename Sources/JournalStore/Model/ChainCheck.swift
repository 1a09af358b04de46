/// Goes along the entries of one stream and says where the chain breaks: the rule alone.
///
/// Without pruning the steps are 1, 2, 3 … up to the head, each chained to the one before. With it a base stands in for what
/// was removed, and before the base there may be islands: ranges that a running effect needed, each right behind a
/// snapshot. The snapshot remembers the digest that the range is chained to.
struct ChainCheck {
    /// What the check asks of an entry.
    struct Link: Hashable {
        var step: Int
        var time: Timestamp
        var body: Digest
        var digest: Digest
    }

    enum Problem: Hashable {
        case gap(after: Int, next: Int)
        /// A range before the base with no snapshot in front of it.
        case looseIsland(step: Int)
        /// The entry, or the one before it, is not what was committed.
        case broken(step: Int)
        case snapshotOfOtherHistory(step: Int)
        case missingBase(step: Int)
        case head(recorded: Int, found: Int)
        case headDigest(step: Int)
    }

    private let genesis: Digest
    private let prunedStep: Int
    private let snapshots: [Int: Digest]
    private var last: (step: Int, digest: Digest)
    private(set) var problems: [Problem] = []

    /// - Parameters:
    ///   - genesis: what step 1 is chained to.
    ///   - prunedStep: up to where entries were removed.
    ///   - snapshots: the digest that each snapshot remembers.
    init(genesis: Digest, prunedStep: Int, snapshots: [Int: Digest]) {
        self.genesis = genesis
        self.prunedStep = prunedStep
        self.snapshots = snapshots
        last = (0, genesis)
        if prunedStep > 0 && snapshots[prunedStep] == nil { problems.append(.missingBase(step: prunedStep)) }
    }

    /// Entries come in the order of their steps.
    mutating func check(_ link: Link) {
        if link.step != last.step + 1 { jump(to: link.step) }
        if last.digest.chained(body: link.body, step: link.step, time: link.time) != link.digest {
            problems.append(.broken(step: link.step))
        }
        if let remembered = snapshots[link.step], remembered != link.digest {
            problems.append(.snapshotOfOtherHistory(step: link.step))
        }
        // From here on with what is recorded: one damaged entry is one problem, and not as many as there are after it.
        last = (link.step, link.digest)
    }

    /// There is nothing behind the last one.
    mutating func end(headStep: Int, headDigest: Digest) {
        if last.step < prunedStep { jump(to: prunedStep + 1) }
        if last.step != headStep {
            problems.append(.head(recorded: headStep, found: last.step))
        } else if last.digest != headDigest {
            problems.append(.headDigest(step: headStep))
        }
    }

    private mutating func jump(to step: Int) {
        let before = step - 1
        // The base stands in for all before it, so the chain goes on from its digest; an island from its snapshot's.
        let isAllowed = before <= prunedStep && (last.step < prunedStep || last.step == 0)
        if isAllowed, let digest = snapshots[before] {
            last = (before, digest)
        } else if isAllowed && before < prunedStep {
            problems.append(.looseIsland(step: step))
        } else if step > max(last.step, prunedStep) + 1 {
            // What the base stands in for is not missing.
            problems.append(.gap(after: max(last.step, prunedStep), next: step))
        }
    }
}

extension ChainCheck.Problem {
    var step: Int {
        switch self {
        case .gap(let step, _), .looseIsland(let step), .broken(let step), .snapshotOfOtherHistory(let step),
            .missingBase(let step), .head(let step, _), .headDigest(let step):
            step
        }
    }

    var message: String {
        switch self {
        case .gap(let after, let next):
            next == after + 2
                ? "step \(after + 1) is missing" : "the steps \(after + 1) to \(next - 1) are missing"
        case .looseIsland: "it was kept by a pruning, but no snapshot stands before it"
        case .broken: "the digest does not match: this entry is damaged or was changed, or the one before it is missing"
        case .snapshotOfOtherHistory: "the snapshot does not belong to the entry of its step"
        case .missingBase: "the entries up to here were pruned, and the base that stands in for them is missing"
        case .head(let recorded, let found):
            "the stream says that it ends at step \(recorded), its entries end at \(found)"
        case .headDigest: "the stream's head has another digest than its newest entry"
        }
    }
}
