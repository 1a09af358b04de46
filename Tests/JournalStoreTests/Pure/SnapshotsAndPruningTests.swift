import Testing
import TortureKit

@testable import JournalStore

/// Snapshots, retention and pruning together, in any order.
@Suite struct `Pure, snapshots and pruning` {
    /// The contents of a stream.
    private struct Stream {
        var head = 0
        var settled = 0
        var pruned = 0
        var entries: Set<Int> = []
        var marks: [SnapshotMark] = []
        var live: Set<Int> = []

        mutating func append() {
            head += 1
            entries.insert(head)
        }

        mutating func settle(starting starts: Bool) {
            guard settled < head else { return }
            settled += 1
            if starts { live.insert(settled) }
        }

        mutating func snapshot(at step: Int, isBase: Bool, _ retention: Retention) {
            // Like the database: only of an existing entry, and a base stays a base.
            guard entries.contains(step), !marks.contains(where: { $0.step == step && $0.isBase }) else { return }
            marks.removeAll { $0.step == step }
            marks.append(SnapshotMark(step: step, isBase: isBase))
            marks.sort { $0.step < $1.step }
            let superfluous = retention.superfluous(among: marks, prunedStep: pruned) { steps in
                live.contains(where: steps.contains)
            }
            marks.removeAll { superfluous.contains($0.step) }
        }

        mutating func prune(before step: Int) {
            let before = max(step, pruned + 1)
            guard before <= head,
                let plan = PrunePlan(before: before, settled: settled, marks: marks, liveSteps: live.sorted())
            else { return }
            for range in plan.removed { entries.subtract(range) }
            marks.removeAll { plan.snapshots.contains($0.step) }
            for index in marks.indices where marks[index].step == plan.base { marks[index].isBase = true }
            pruned = plan.base
        }

        /// Whether the state after a step can be folded from what is left.
        func canFold(to step: Int) -> Bool {
            (marks.map(\.step) + [0]).contains { start in
                start <= step && stride(from: start + 1, through: step, by: 1).allSatisfy(entries.contains)
            }
        }
    }

    /// The problems of the chain over what is left.
    private func problems(_ stream: Stream) -> [ChainCheck.Problem] {
        var digests = [Digest(of: "genesis")]
        var links: [ChainCheck.Link] = []
        for step in stride(from: 1, through: stream.head, by: 1) {
            let body = Digest(of: "\(step)")
            digests.append(digests[step - 1].chained(body: body, position: step, time: Timestamp(microseconds: 0)))
            links.append(
                .init(step: step, position: step, time: Timestamp(microseconds: 0), body: body, digest: digests[step]))
        }
        let snapshots = stream.marks.map { ($0.step, digests[$0.step]) }
        var check = ChainCheck(
            genesis: digests[0], prunedStep: stream.pruned, snapshots: Dictionary(uniqueKeysWithValues: snapshots))
        for link in links where stream.entries.contains(link.step) { check.check(link) }
        check.end(headStep: stream.head, headDigest: digests[stream.head])
        return check.problems
    }

    @Test(arguments: 1...10) func `the current state and every live effect can be restored after any upkeep`(
        _ seed: Int
    ) {
        var random = SplitMix(seed: UInt64(seed))
        let retention = Retention(
            last: Int.random(in: 1...3, using: &random),
            everySteps: Bool.random(using: &random) ? Int.random(in: 5...20, using: &random) : nil)
        var stream = Stream()
        var prunings = 0
        for _ in 0..<250 {
            switch Int.random(in: 0..<12, using: &random) {
            case 0...3: stream.append()
            case 4...6: stream.settle(starting: Int.random(in: 0..<4, using: &random) == 0)
            case 7...8: stream.snapshot(at: stream.head, isBase: false, retention)
            case 9:
                let step = Int.random(in: 0...stream.head, using: &random)
                stream.snapshot(at: step, isBase: Int.random(in: 0..<5, using: &random) == 0, retention)
            case 10: stream.live.sorted().randomElement(using: &random).map { _ = stream.live.remove($0) }
            default:
                let before = stream.pruned
                stream.prune(before: Int.random(in: 0...stream.head + 1, using: &random))
                if stream.pruned > before { prunings += 1 }
                #expect(problems(stream) == [])
            }
            #expect(stream.pruned <= stream.settled)
            #expect(Set(stream.pruned + 1...stream.head + 1).subtracting(stream.entries) == [stream.head + 1])
            #expect(stream.canFold(to: stream.head), "the present")
            #expect(stream.canFold(to: stream.pruned), "the base")
            for step in stream.live {
                #expect(stream.canFold(to: step - 1), "the state before the live step \(step)")
                #expect(stream.entries.contains(step), "the live step \(step)")
            }
        }
        #expect(prunings > 0)
    }
}
