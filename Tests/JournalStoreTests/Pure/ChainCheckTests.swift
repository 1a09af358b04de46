import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Pure, the chain check` {
    /// A committed stream: its entries, its snapshots and its head.
    struct History {
        var genesis = Digest.genesis(name: "a", machine: "m", seed: [])
        var links: [ChainCheck.Link] = []
        var prunedStep = 0
        var snapshots: [Int: Digest] = [:]
        var headStep: Int
        var headDigest: Digest

        init(steps: Int, snapshotsAt: Set<Int> = []) {
            headStep = steps
            headDigest = genesis
            for step in stride(from: 1, through: steps, by: 1) {
                links.append(
                    ChainCheck.Link(
                        step: step, position: 2 * step, time: Timestamp(microseconds: Int64(step) * 1000),
                        body: Digest(of: "action \(step)"), digest: headDigest))
                rechain(from: step)
                if snapshotsAt.contains(step) { snapshots[step] = headDigest }
            }
        }

        /// Recomputes the digests, as a competent forger of entries would.
        mutating func rechain(from step: Int) {
            for index in links.indices where links[index].step >= step {
                let before = index > 0 ? links[index - 1].digest : genesis
                links[index].digest = before.chained(
                    body: links[index].body, position: links[index].position, time: links[index].time)
            }
            headDigest = links.last?.digest ?? genesis
        }

        /// Removes the steps up to the base except the islands, and the snapshots before it except their anchors.
        mutating func prune(to base: Int, islands: [ClosedRange<Int>] = []) {
            prunedStep = base
            links.removeAll { link in link.step <= base && !islands.contains { $0.contains(link.step) } }
            let anchors = islands.map { $0.lowerBound - 1 }
            snapshots = snapshots.filter { $0.key >= base || anchors.contains($0.key) }
        }

        mutating func change(_ step: Int, _ body: (inout ChainCheck.Link) -> Void) {
            for index in links.indices where links[index].step == step { body(&links[index]) }
        }

        mutating func drop(_ step: Int) {
            links.removeAll { $0.step == step }
        }

        var problems: [ChainCheck.Problem] {
            var check = ChainCheck(genesis: genesis, prunedStep: prunedStep, snapshots: snapshots)
            for link in links { check.check(link) }
            check.end(headStep: headStep, headDigest: headDigest)
            return check.problems
        }
    }

    /// A change to a history, and the problems that the check reports.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        var problems: [ChainCheck.Problem]
        var change: @Sendable (inout History) -> Void

        init(
            _ what: String, finds problems: [ChainCheck.Problem], _ change: @escaping @Sendable (inout History) -> Void
        ) {
            testDescription = what
            self.problems = problems
            self.change = change
        }
    }

    private static let other = Digest(of: "other")

    // MARK: A whole history

    @Test(arguments: [0, 1, 2, 9]) func `a sound chain has no problem`(_ steps: Int) {
        #expect(History(steps: steps, snapshotsAt: [2, 9]).problems == [])
    }

    @Test(arguments: [
        Case("the first entry is missing", finds: [.gap(after: 0, next: 2), .broken(step: 2)]) { $0.drop(1) },
        Case("an entry in the middle is missing", finds: [.gap(after: 4, next: 6), .broken(step: 6)]) { $0.drop(5) },
        Case("several entries are missing", finds: [.gap(after: 3, next: 7), .broken(step: 7)]) { history in
            for step in 4...6 { history.drop(step) }
        },
        Case("an entry with a snapshot is missing", finds: [.gap(after: 2, next: 4), .broken(step: 4)]) { $0.drop(3) },
        Case("the last entry is missing", finds: [.head(recorded: 8, found: 7)]) { $0.drop(8) },
        Case("all entries are missing", finds: [.head(recorded: 8, found: 0)]) { $0.links = [] },
        Case("an action was changed", finds: [.broken(step: 4)]) { $0.change(4) { $0.body = other } },
        Case("the last action was changed", finds: [.broken(step: 8)]) { $0.change(8) { $0.body = other } },
        Case("a time was changed", finds: [.broken(step: 4)]) { $0.change(4) { $0.time.microseconds += 1 } },
        Case("a digest was changed", finds: [.broken(step: 4), .broken(step: 5)]) {
            $0.change(4) { $0.digest = other }
        },
        Case("the last digest was changed", finds: [.broken(step: 8), .headDigest(step: 8)]) {
            $0.change(8) { $0.digest = other }
        },
        Case("two actions were swapped", finds: [.broken(step: 4), .broken(step: 5)]) { history in
            (history.links[3].body, history.links[4].body) = (history.links[4].body, history.links[3].body)
        },
        Case("two entries swapped steps", finds: [.broken(step: 4), .broken(step: 5), .broken(step: 6)]) { history in
            history.links.swapAt(3, 4)
            history.links[3].step = 4
            history.links[4].step = 5
        },
        Case("the head has a later step", finds: [.head(recorded: 9, found: 8)]) { $0.headStep = 9 },
        Case("the head has another digest", finds: [.headDigest(step: 8)]) { $0.headDigest = other },
        Case("the stream was created again under its name", finds: [.broken(step: 1)]) { $0.genesis = other },
        Case("a snapshot is of another history", finds: [.snapshotOfOtherHistory(step: 3)]) { $0.snapshots[3] = other },
        Case("history was rewritten before a snapshot", finds: [.snapshotOfOtherHistory(step: 6)]) {
            $0.change(4) { $0.body = other }
            $0.rechain(from: 4)
        },
    ])
    func `the check reports a change at the step where it was made`(_ test: Case) {
        var history = History(steps: 8, snapshotsAt: [3, 6])
        test.change(&history)
        #expect(history.problems == test.problems)
    }

    // MARK: A pruned history

    @Test(arguments: [
        Case("no island", finds: []) { $0.prune(to: 9) },
        Case("an island", finds: []) { $0.prune(to: 9, islands: [4...5]) },
        Case("two islands", finds: []) { $0.prune(to: 9, islands: [4...5, 7...8]) },
        Case("an island at the beginning", finds: []) { $0.prune(to: 9, islands: [1...2]) },
        Case("an island up to the base", finds: []) { $0.prune(to: 9, islands: [7...9]) },
        Case("an island of all steps up to the base", finds: []) { $0.prune(to: 9, islands: [1...9]) },
        Case("no step after the base", finds: []) { $0.prune(to: 12) },
        Case("no step after the base, and an island", finds: []) { $0.prune(to: 12, islands: [4...5]) },
    ])
    func `a pruned chain has no problem`(_ test: Case) {
        var history = History(steps: 12, snapshotsAt: [3, 6, 9, 12])
        test.change(&history)
        #expect(history.problems == test.problems)
    }

    @Test(arguments: [
        Case(
            "the base is missing", finds: [.missingBase(step: 9), .broken(step: 10)]
        ) { $0.snapshots[9] = nil },
        Case("the base is of another history", finds: [.broken(step: 10)]) { $0.snapshots[9] = other },
        Case("an island has no anchor", finds: [.looseIsland(step: 4), .broken(step: 4)]) { $0.snapshots[3] = nil },
        Case("the anchor is of another history", finds: [.broken(step: 4)]) { $0.snapshots[3] = other },
        Case("an island's first entry is missing", finds: [.looseIsland(step: 5), .broken(step: 5)]) { $0.drop(4) },
        Case("an action of an island was changed", finds: [.broken(step: 5)]) { $0.change(5) { $0.body = other } },
        Case("one after the base is missing", finds: [.gap(after: 10, next: 12), .broken(step: 12)]) { $0.drop(11) },
        Case("a snapshot after the base excuses no gap", finds: [.gap(after: 10, next: 12), .broken(step: 12)]) {
            $0.snapshots[11] = $0.links.first { $0.step == 11 }?.digest
            $0.drop(11)
        },
        Case("the last entry is missing", finds: [.head(recorded: 12, found: 11)]) { $0.drop(12) },
        Case("all entries after the base are missing", finds: [.head(recorded: 12, found: 9)]) { history in
            for step in 10...12 { history.drop(step) }
        },
        Case("the head has another digest", finds: [.headDigest(step: 12)]) { $0.headDigest = other },
    ])
    func `the check reports a change of a pruned chain at the step where it was made`(_ test: Case) {
        var history = History(steps: 12, snapshotsAt: [3, 6, 9])
        history.prune(to: 9, islands: [4...5])
        test.change(&history)
        #expect(history.problems == test.problems)
    }

    @Test func `the check reports that the first entry after the base is missing`() {
        var history = History(steps: 12, snapshotsAt: [9])
        history.prune(to: 9)
        history.drop(10)
        #expect(history.problems.contains { if case .gap(_, next: 11) = $0 { true } else { false } })
    }

    @Test func `the head is compared with the base if no entry is left`() {
        var history = History(steps: 9, snapshotsAt: [9])
        history.prune(to: 9)
        history.headDigest = Self.other
        #expect(history.problems == [.headDigest(step: 9)])
    }

    // MARK: Any change

    @Test(arguments: 1...10) func `the check finds every single change of an entry`(_ seed: Int) throws {
        var random = SplitMix(seed: UInt64(seed))
        for _ in 0..<20 {
            let steps = Int.random(in: 1...20, using: &random)
            var sound = History(steps: steps, snapshotsAt: Set((1...steps).filter { _ in Bool.random(using: &random) }))
            var ends: Set<Int> = []
            if let base = sound.snapshots.keys.sorted().randomElement(using: &random), Bool.random(using: &random) {
                let live = (1...base).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
                let marks = sound.snapshots.keys.sorted().map { SnapshotMark(step: $0) }
                let plan = try #require(PrunePlan(before: base + 1, settled: steps, marks: marks, liveSteps: live))
                sound.prune(to: plan.base, islands: plan.islands)
                ends = Set(plan.islands.map(\.upperBound))
            }
            #expect(sound.problems == [])

            for link in sound.links {
                let step = link.step
                var changes: [String: (inout ChainCheck.Link) -> Void] = [
                    "action": { $0.body = Digest(high: $0.body.high, low: $0.body.low ^ 1) },
                    "earlier": { $0.time.microseconds -= 1 },
                    "later": { $0.time.microseconds += 1 },
                    "digest": { $0.digest = Digest(high: $0.digest.high ^ 1, low: $0.digest.low) },
                ]
                // Steps stay unique and in order: they are a key.
                if !sound.links.contains(where: { $0.step == step + 1 }) { changes["step"] = { $0.step += 1 } }
                for (what, change) in changes {
                    var history = sound
                    history.change(step, change)
                    #expect(history.problems != [], "\(what) of step \(step) changed")
                }
                // The check does not know where an island ends: the records of its effect do.
                if !ends.contains(step) {
                    var history = sound
                    history.drop(step)
                    #expect(history.problems != [], "step \(step) missing")
                }
            }
            for step in 1..<max(1, steps) {
                let places = sound.links.indices.filter { [step, step + 1].contains(sound.links[$0].step) }
                guard places.count == 2 else { continue }
                var history = sound
                history.links.swapAt(places[0], places[1])
                history.links[places[0]].step = step
                history.links[places[1]].step = step + 1
                #expect(history.problems != [], "the steps \(step) and \(step + 1) swapped")
            }
        }
    }

    // MARK: Messages

    @Test(
        arguments: [
            (.gap(after: 3, next: 5), 3, "step 4 is missing"),
            (.gap(after: 0, next: 2), 0, "step 1 is missing"),
            (.gap(after: 3, next: 6), 3, "the steps 4 to 5 are missing"),
            (.looseIsland(step: 4), 4, "this entry was kept by pruning, but there is no snapshot before it"),
            (
                .broken(step: 4), 4,
                "the digest does not match: this entry is damaged or was changed, or the one before it is missing"
            ),
            (.snapshotOfOtherHistory(step: 4), 4, "the snapshot does not belong to the entry of its step"),
            (
                .missingBase(step: 4), 4,
                "the entries up to here were pruned, and the base that replaces them is missing"
            ),
            (.head(recorded: 4, found: 3), 4, "the stream's head is step 4, but its entries end at step 3"),
            (.headDigest(step: 4), 4, "the stream's head digest is not the digest of its newest entry"),
        ] as [(ChainCheck.Problem, Int, String)])
    func `a problem has a step and a message`(_ problem: ChainCheck.Problem, _ step: Int, _ message: String) {
        #expect(problem.step == step)
        #expect(problem.message == message)
    }

    @Test func `a gap after the base does not include the pruned steps`() {
        var check = ChainCheck(genesis: Digest(of: "g"), prunedStep: 9, snapshots: [9: Digest(of: "s")])
        check.check(
            .init(
                step: 11, position: 11, time: Timestamp(microseconds: 0), body: Digest(of: "b"), digest: Digest(of: "d")
            ))
        #expect(check.problems.first?.message == "step 10 is missing")
    }
}
