import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the prune plan` {
    /// A stream and the plan for it.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var before: Int
        var settled = 100
        var snapshots: [Int]
        var live: [Int] = []
        var base: Int?
        var islands: [ClosedRange<Int>] = []
        var removed: [ClosedRange<Int>] = []
        var gone: [Int] = []

        var plan: PrunePlan? {
            PrunePlan(
                before: before, settled: settled, marks: snapshots.map { SnapshotMark(step: $0) }, liveSteps: live)
        }
    }

    @Test(arguments: [
        Case(testDescription: "no snapshot at all", before: 50, snapshots: [], base: nil),
        Case(testDescription: "no snapshot before the step", before: 10, snapshots: [10, 20], base: nil),
        Case(testDescription: "no snapshot of a settled step", before: 50, settled: 9, snapshots: [10], base: nil),
        Case(
            testDescription: "the newest snapshot before the step is the base", before: 21, snapshots: [10, 20, 30],
            base: 20, removed: [1...20], gone: [10]),
        Case(
            testDescription: "the step itself stays", before: 20, snapshots: [10, 20, 30], base: 10, removed: [1...10]),
        Case(
            testDescription: "steps after the settled one stay", before: 50, settled: 29, snapshots: [10, 20, 30],
            base: 20, removed: [1...20], gone: [10]),
        Case(
            testDescription: "the settled step can be removed", before: 50, settled: 30, snapshots: [10, 20, 30],
            base: 30, removed: [1...30], gone: [10, 20]),
        Case(
            testDescription: "an effect keeps what leads to its step", before: 50, snapshots: [10, 20, 30], live: [13],
            base: 30, islands: [11...13], removed: [1...10, 14...30], gone: [20]),
        Case(
            testDescription: "an effect of the first step keeps only that step", before: 50, snapshots: [10], live: [1],
            base: 10, islands: [1...1], removed: [2...10]),
        Case(
            testDescription: "an effect before any snapshot keeps all from the start", before: 50, snapshots: [10],
            live: [7], base: 10, islands: [1...7], removed: [8...10]),
        Case(
            testDescription: "an effect of a step with a snapshot keeps the one before", before: 50,
            snapshots: [10, 20, 30], live: [20], base: 30, islands: [11...20], removed: [1...10, 21...30], gone: [20]),
        Case(
            testDescription: "an effect of the base's own step", before: 50, snapshots: [10, 20], live: [20], base: 20,
            islands: [11...20], removed: [1...10]),
        Case(
            testDescription: "an effect that keeps all steps", before: 50, snapshots: [10], live: [10], base: 10,
            islands: [1...10], removed: []),
        Case(
            testDescription: "an effect after the base keeps nothing before it", before: 21, snapshots: [10, 20],
            live: [21, 25], base: 20, removed: [1...20], gone: [10]),
        Case(
            testDescription: "two effects after the same snapshot share an island", before: 50, snapshots: [10, 20],
            live: [15, 13], base: 20, islands: [11...15], removed: [1...10, 16...20]),
        Case(
            testDescription: "two effects far from each other", before: 50, snapshots: [10, 20, 30, 40],
            live: [32, 12], base: 40, islands: [11...12, 31...32], removed: [1...10, 13...30, 33...40], gone: [20]),
        Case(
            testDescription: "islands that touch are one", before: 50, snapshots: [10, 20, 30], live: [20, 22],
            base: 30, islands: [11...22], removed: [1...10, 23...30]),
        Case(
            testDescription: "islands that nearly touch are two", before: 50, snapshots: [10, 20, 30], live: [19, 22],
            base: 30, islands: [11...19, 21...22], removed: [1...10, 20...20, 23...30]),
        Case(
            testDescription: "the same effect twice", before: 50, snapshots: [10, 20], live: [12, 12], base: 20,
            islands: [11...12], removed: [1...10, 13...20]),
        Case(
            testDescription: "a base at step 0 replaces no entries", before: 5, settled: 0,
            snapshots: [0, 3], base: 0),
        Case(
            testDescription: "an effect keeps nothing before a base at step 0", before: 5, settled: 0, snapshots: [0],
            live: [1, 3], base: 0),
    ])
    func `a plan names the base, the islands that stay, and what is removed`(_ test: Case) {
        let plan = test.plan
        #expect(plan?.base == test.base)
        #expect(plan?.islands ?? [] == test.islands)
        #expect(plan?.removed ?? [] == test.removed)
        #expect(plan?.snapshots ?? [] == test.gone)
    }

    @Test(arguments: 1...10) func `a plan keeps what live effects need and removes the rest`(_ seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<40 {
            let head = Int.random(in: 1...60, using: &random)
            let settled = Int.random(in: 0...head, using: &random)
            let before = Int.random(in: 1...head + 1, using: &random)
            let density = Int.random(in: 2...12, using: &random)
            let snapshots = (1...head).filter { _ in Int.random(in: 0..<density, using: &random) == 0 }
            let live = (1...head).filter { _ in Int.random(in: 0..<10, using: &random) == 0 }.shuffled(using: &random)
            let marks = snapshots.map { SnapshotMark(step: $0, isBase: Bool.random(using: &random)) }

            guard let plan = PrunePlan(before: before, settled: settled, marks: marks, liveSteps: live) else {
                #expect(!snapshots.contains { $0 < before && $0 <= settled })
                continue
            }

            // The base is the newest snapshot that qualifies.
            #expect(plan.base == snapshots.last { $0 < before && $0 <= settled })

            // Removed ranges and islands contain each step up to the base once: so nothing else is removed.
            let parts = (plan.removed + plan.islands).sorted { $0.lowerBound < $1.lowerBound }
            #expect(parts.flatMap { Array($0) } == Array(1...plan.base))
            #expect(plan.removed.allSatisfy { $0.upperBound < before && $0.upperBound <= settled })

            // A live effect needs a state before its step, and the steps from there on.
            let kept = Set(snapshots).subtracting(plan.snapshots)
            for step in live where step <= plan.base {
                let anchor = try #require((kept.union([0])).filter { $0 < step }.max())
                #expect(anchor == snapshots.last { $0 < step } ?? 0)
                let island = try #require(plan.islands.first { $0.contains(step) })
                #expect(island.contains(anchor + 1))
            }
            for island in plan.islands {
                #expect(kept.union([0]).contains(island.lowerBound - 1), "\(island) begins after a kept snapshot")
                #expect(live.contains(island.upperBound), "\(island) ends at a step that is needed")
            }

            // Snapshots before the base that no effect needs are removed; the base and later ones stay.
            let anchors = Set(live.filter { $0 <= plan.base }.compactMap { step in snapshots.last { $0 < step } })
            #expect(plan.snapshots == snapshots.filter { $0 < plan.base && !anchors.contains($0) })
        }
    }

    @Test(arguments: 1...10) func `transactions that end at stops remove together what one would remove`(_ seed: Int) {
        var random = SplitMix(seed: UInt64(seed))
        var plans = 0
        for _ in 0..<40 {
            let head = Int.random(in: 1...60, using: &random)
            let before = Int.random(in: 1...head + 1, using: &random)
            let length = Int.random(in: 1...20, using: &random)
            func steps(oneIn count: Int) -> [Int] {
                (1...head).filter { _ in Int.random(in: 0..<count, using: &random) == 0 }
            }
            let loose = Set(steps(oneIn: 10))
            let marks = steps(oneIn: 4).map { step in
                SnapshotMark(
                    step: step, isBase: Int.random(in: 0..<5, using: &random) == 0,
                    version: Int.random(in: 1...2, using: &random))
            }
            var facts = PruneFacts(
                info: stream(head), marks: marks, liveSteps: steps(oneIn: 10), loose: loose)
            guard let whole = try? facts.plan(before: before, file: nil) else { continue }
            plans += 1
            var bases: [Int] = []
            var removed: Set<Int> = []
            while facts.info.prunedStep < whole.base {
                let stop = facts.stops(on: whole, every: length).first
                let part = stop.flatMap { facts.plan(upTo: $0) }
                // Only the last one looks at what the others have left.
                if let part {
                    #expect(part.removed.allSatisfy { $0.lowerBound > facts.info.prunedStep })
                    #expect(part.snapshots.allSatisfy { $0 >= facts.info.prunedStep })
                }
                let plan = part ?? whole
                for range in plan.removed { removed.formUnion(range) }
                facts.marks.removeAll { plan.snapshots.contains($0.step) }
                for index in facts.marks.indices where facts.marks[index].step == plan.base {
                    facts.marks[index].isBase = true
                }
                facts.info.prunedStep = plan.base
                bases.append(plan.base)
            }
            #expect(bases.last == whole.base && bases == bases.sorted() && Set(bases).count == bases.count)
            let version = marks.first { $0.step == whole.base }?.version
            for base in bases {
                #expect(!loose.contains(base))
                #expect(marks.contains { $0.step == base && $0.version == version })
            }
            #expect(removed == Set(whole.removed.flatMap { Array($0) }))
            let left = marks.filter { !whole.snapshots.contains($0.step) }.map { mark in
                changed(mark) { $0.isBase = $0.isBase || $0.step == whole.base }
            }
            #expect(facts.marks == left)
        }
        #expect(plans > 0)
    }

    /// What is left of it has the last position of the journal.
    @Test func `a fork at a pruned step keeps what ended effects have left, until it has another step`() throws {
        var facts = PruneFacts(
            info: changed(stream(20)) { $0.prunedStep = 20 },
            marks: [SnapshotMark(step: 10), SnapshotMark(step: 20, isBase: true)], liveSteps: [], loose: [])
        for before in [1, 20, 21, 99] { #expect(try facts.plan(before: before, file: nil).removed == []) }
        (facts.info.headStep, facts.info.settledStep) = (21, 21)
        for before in [1, 20] { #expect(try facts.plan(before: before, file: nil).removed == []) }
        for before in [21, 99] {
            let plan = try facts.plan(before: before, file: nil)
            #expect(plan.base == 20)
            #expect(plan.removed == [1...20])
            #expect(plan.snapshots == [10])
        }
    }

    private func stream(_ head: Int) -> StreamInfo {
        StreamInfo(
            id: StreamID(rawValue: 1), name: "a", machine: "m", created: Timestamp(microseconds: 0), headStep: head,
            headDigest: Digest(of: ""), settledStep: head, prunedStep: 0, seed: [])
    }

    @Test func `a live step below 1 is ignored`() {
        #expect(PrunePlan(before: 9, settled: 9, marks: [SnapshotMark(step: 3)], liveSteps: [0, -1])?.base == 3)
    }

    /// An earlier pruning can have removed the entries before a snapshot that is not needed for its version.
    @Test(arguments: 1...10) func `entries that several prunings have kept begin after a snapshot`(_ seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<100 {
            let head = Int.random(in: 10...60, using: &random)
            var (version, marks) = (1, [SnapshotMark]())
            for step in 1...head where Int.random(in: 0..<4, using: &random) == 0 {
                let isNew = Int.random(in: 0..<4, using: &random) == 0
                if isNew { version += 1 }
                marks.append(SnapshotMark(step: step, isBase: isNew, version: version))
            }
            var live = (1...head).filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
            var entries = Set(1...head)
            var before = 1
            while before < head {
                before = Int.random(in: before + 1...head, using: &random)
                guard
                    let plan = PrunePlan(
                        before: before, settled: head, marks: marks.filter { $0.step < before }, liveSteps: live)
                else { continue }
                for range in plan.removed { entries.subtract(range) }
                marks.removeAll { plan.snapshots.contains($0.step) }
                for index in marks.indices where marks[index].step == plan.base { marks[index].isBase = true }
                let kept = Set(marks.map(\.step))
                for entry in entries where entry > 1 && !entries.contains(entry - 1) {
                    #expect(kept.contains(entry - 1), "\(entry) is kept, and begins after no snapshot")
                }
                // Some effects end.
                live.removeAll { _ in Int.random(in: 0..<3, using: &random) == 0 }
            }
        }
    }

    /// The version of a new base may not be able to read snapshots of earlier versions.
    @Test(
        arguments: [
            ([SnapshotMark(step: 3), SnapshotMark(step: 11, isBase: true, version: 2)], [4], [1...4], [5...11], []),
            (
                [SnapshotMark(step: 3), SnapshotMark(step: 6, version: 2), SnapshotMark(step: 11, version: 2)], [8],
                [7...8], [1...6, 9...11], [3]
            ),
            (
                [SnapshotMark(step: 5, isBase: true), SnapshotMark(step: 7), SnapshotMark(step: 11, version: 2)], [8],
                [6...8], [1...5, 9...11], []
            ),
        ] as [([SnapshotMark], [Int], [ClosedRange<Int>], [ClosedRange<Int>], [Int])])
    func `a live effect keeps what leads to its step from a base, or from a snapshot of the version of the new base`(
        _ marks: [SnapshotMark], _ live: [Int], _ islands: [ClosedRange<Int>], _ removed: [ClosedRange<Int>],
        _ gone: [Int]
    ) {
        let plan = PrunePlan(before: 12, settled: 20, marks: marks, liveSteps: live)
        #expect(plan?.base == 11)
        #expect(plan?.islands == islands)
        #expect(plan?.removed == removed)
        #expect(plan?.snapshots == gone)
    }
}
