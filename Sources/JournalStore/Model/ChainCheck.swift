/// Checks the digest chain of one stream's entries and collects the problems. Does no I/O.
///
/// Without pruning the steps are 1, 2, 3 … up to the head, each chained to the one before. After pruning a base
/// replaces the removed entries, and before it there can be islands: ranges that a live run needs, each directly after
/// a snapshot. The snapshot stores the digest that the range is chained to.
struct ChainCheck {
    /// The parts of an entry that the check needs.
    struct Link: Hashable {
        var step: Int
        var position: Int
        var time: Timestamp
        var body: Digest
        var digest: Digest
    }

    enum Problem: Hashable {
        case gap(after: Int, next: Int)
        /// An island that does not follow a snapshot.
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
    ///   - genesis: the digest that step 1 is chained to.
    ///   - prunedStep: the step up to which entries were pruned; 0 if none were.
    ///   - snapshots: the digest that each snapshot stores, by step.
    init(genesis: Digest, prunedStep: Int, snapshots: [Int: Digest]) {
        (self.genesis, self.prunedStep, self.snapshots) = (genesis, prunedStep, snapshots)
        last = (0, genesis)
        if prunedStep > 0 && snapshots[prunedStep] == nil { problems.append(.missingBase(step: prunedStep)) }
    }

    /// Checks one entry. The entries must come in the order of their steps.
    mutating func check(_ link: Link) {
        if link.step != last.step + 1 { jump(to: link.step) }
        if last.digest.chained(body: link.body, position: link.position, time: link.time) != link.digest {
            problems.append(.broken(step: link.step))
        }
        if let remembered = snapshots[link.step], remembered != link.digest {
            problems.append(.snapshotOfOtherHistory(step: link.step))
        }
        // Continues from the recorded digest: one damaged entry is one problem, not one for each entry after it.
        last = (link.step, link.digest)
    }

    /// Ends the check after the last entry: compares that entry with the stream's head.
    mutating func end(headStep: Int, headDigest: Digest) {
        if last.step < prunedStep { jump(to: prunedStep + 1) }
        if last.step != headStep {
            problems.append(.head(recorded: headStep, found: last.step))
        } else if last.digest != headDigest {
            problems.append(.headDigest(step: headStep))
        }
    }

    /// Removes and returns the problems that were found so far: a damaged stream can have millions.
    mutating func takeProblems() -> [Problem] {
        defer { problems.removeAll() }
        return problems
    }

    private mutating func jump(to step: Int) {
        let before = step - 1
        // The chain continues from the digest of the base, or of the snapshot before an island.
        let isAllowed = before <= prunedStep && (last.step < prunedStep || last.step == 0)
        if isAllowed, let digest = snapshots[before] {
            last = (before, digest)
        } else if isAllowed && before < prunedStep {
            problems.append(.looseIsland(step: step))
        } else if step > max(last.step, prunedStep) + 1 {
            // Steps that the base replaces are not missing.
            problems.append(.gap(after: max(last.step, prunedStep), next: step))
        }
    }
}

extension ChainCheck.Problem {
    /// The steps that it is about.
    var steps: ClosedRange<Int> {
        guard case .gap(let after, let next) = self else { return step...step }
        return after + 1...next - 1
    }

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
        case .looseIsland: "this entry was kept by pruning, but there is no snapshot before it"
        case .broken: "the digest does not match: this entry is damaged or was changed, or the one before it is missing"
        case .snapshotOfOtherHistory: "the snapshot does not belong to the entry of its step"
        case .missingBase: "the entries up to here were pruned, and the base that replaces them is missing"
        case .head(let recorded, let found):
            "the stream's head is step \(recorded), but its entries end at step \(found)"
        case .headDigest: "the stream's head digest is not the digest of its newest entry"
        }
    }
}
