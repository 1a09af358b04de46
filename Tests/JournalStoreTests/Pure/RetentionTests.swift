import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, retention` {
    /// Snapshots, and the ones that retention drops.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var steps: [Int]
        var bases: Set<Int> = []
        var last = 1
        var every: Int?
        var live: [Int] = []
        var pruned = 0
        var superfluous: [Int]

        var marks: [SnapshotMark] { steps.map { SnapshotMark(step: $0, isBase: bases.contains($0)) } }
    }

    @Test(arguments: [
        Case(testDescription: "no snapshot", steps: [], superfluous: []),
        Case(testDescription: "the only snapshot stays", steps: [5], superfluous: []),
        Case(testDescription: "the newest stays", steps: [1, 2, 3, 4], superfluous: [1, 2, 3]),
        Case(testDescription: "the newest two stay", steps: [1, 2, 3, 4], last: 2, superfluous: [1, 2]),
        Case(testDescription: "more may stay than there are", steps: [1, 2], last: 9, superfluous: []),
        Case(testDescription: "the newest stays, even with last 0", steps: [1, 2, 3], last: 0, superfluous: [1, 2]),
        Case(testDescription: "the newest stays, even with last -4", steps: [1, 2, 3], last: -4, superfluous: [1, 2]),
        Case(testDescription: "a base stays", steps: [1, 2, 3, 4], bases: [2], superfluous: [1, 3]),
        Case(testDescription: "every base stays", steps: [1, 2, 3, 4], bases: [1, 2], superfluous: [3]),
        Case(
            testDescription: "one in every so many steps stays", steps: [3, 7, 10, 14, 19, 31, 40], every: 10,
            superfluous: [7, 10, 19]),
        Case(
            testDescription: "the distance is counted from the last one that stays",
            steps: [9, 10, 19, 20, 28, 29, 30],
            every: 10, superfluous: [10, 20, 28]),
        Case(testDescription: "a distance of 0 keeps nothing", steps: [1, 2, 3], every: 0, superfluous: [1, 2]),
        Case(
            testDescription: "the newest before the step of a live effect stays", steps: [2, 4, 6, 8], live: [5],
            superfluous: [2, 6]),
        Case(
            testDescription: "a snapshot of a live effect's own step is dropped", steps: [2, 4, 6, 8], live: [4],
            superfluous: [4, 6]),
        Case(
            testDescription: "a live effect before the first snapshot keeps none", steps: [2, 4, 6], live: [1, 2],
            superfluous: [2, 4]),
        Case(
            testDescription: "each live effect keeps its own", steps: [2, 4, 6, 8], live: [3, 7], superfluous: [4]),
        Case(
            testDescription: "those up to the pruned step stay", steps: [2, 4, 6, 8, 10], pruned: 6, superfluous: [8]),
    ])
    func `retention keeps the newest, bases, some of the older ones, and what live effects need`(_ test: Case) {
        let retention = Retention(last: test.last, everySteps: test.every)
        #expect(
            retention.superfluous(among: test.marks, prunedStep: test.pruned) { test.live.contains(where: $0.contains) }
                == test.superfluous)
    }

    @Test func `by default retention keeps older snapshots at a distance of 2,500 steps or more`() {
        #expect(Retention() == Retention(last: 3, steps: 2500...100_000))
    }

    @Test(arguments: [
        ("the fewest steps", 1000, [500, 900, 1300, 1700, 2100, 2500]),
        ("a state as long as 1,000 entries", 100_000, [1100, 2100, 2500]), ("the most steps", 1 << 40, [1500, 2500]),
    ])
    func `retention keeps older snapshots at a distance at which their states weigh as much as the entries`(
        _ what: String, bytes: Int, kept: [Int]
    ) {
        let marks = stride(from: 100, through: 2500, by: 100).map { SnapshotMark(step: $0, stateBytes: bytes) }
        let superfluous = Retention(last: 1, steps: 400...1400).superfluous(among: marks, prunedStep: 0) { _ in false }
        #expect(marks.map(\.step).filter { !superfluous.contains($0) } == [100] + kept)
    }

    @Test(arguments: 1...10) func `retention drops a snapshot that no rule protects, and only that`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<30 {
            let retention = Retention(
                last: Int.random(in: 0...4, using: &random),
                everySteps: Bool.random(using: &random) ? Int.random(in: 1...15, using: &random) : nil)
            let steps = (1...40).filter { _ in Int.random(in: 0..<3, using: &random) == 0 }
            let marks = steps.map { SnapshotMark(step: $0, isBase: Int.random(in: 0..<6, using: &random) == 0) }
            let live = (1...45).filter { _ in Int.random(in: 0..<15, using: &random) == 0 }.shuffled(using: &random)
            let pruned = Bool.random(using: &random) ? Int.random(in: 0...20, using: &random) : 0

            let superfluous = retention.superfluous(among: marks, prunedStep: pruned) {
                live.contains(where: $0.contains)
            }
            var spaced: [Int] = []
            if let every = retention.steps?.lowerBound {
                for step in steps where spaced.last.map({ step >= $0 + every }) ?? true { spaced.append(step) }
            }

            for mark in marks {
                let step = mark.step
                let newer = steps.count { $0 > step }
                let isAnchor = live.contains { live in live > step && !steps.contains { $0 > step && $0 < live } }
                let stays =
                    newer < max(1, retention.last) || mark.isBase || spaced.contains(step) || isAnchor || step <= pruned
                #expect(superfluous.contains(step) != stays, "the snapshot after step \(step)")
            }
            #expect(superfluous == superfluous.sorted())
            #expect(Set(superfluous).isSubset(of: steps))
        }
    }
}
