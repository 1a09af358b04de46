import Testing

@testable import JournalStore

@Suite struct `The hold of a crash loop` {
    /// A hold of a second, with watches of five seconds.
    private final class Bench {
        private var hold: CrashLoopHold
        var held: Set<RunKey> = []
        var record = CrashLoopRecord()

        init(_ suspects: ClosedRange<Int>? = nil, suspicions: Int = 0) {
            let suspects = suspects.map { CrashLoopRecord.Suspects(key($0.lowerBound), key($0.upperBound)) }
            let plan = CrashLoopRecord.Plan(
                record: CrashLoopRecord(suspects: suspects), earlierSuspicions: suspicions, hold: .seconds(1),
                watchTime: .seconds(5))
            hold = CrashLoopHold(plan, hold: .seconds(1), now: .zero)
        }

        /// What is done at a second: which runs start, until when it waits, or nothing.
        func next(
            _ second: Int, _ attempt: CrashLoopHold.Attempt = .over, except others: [Int: CrashLoopHold.Attempt] = [:]
        ) -> String {
            let command = hold.next(now: .seconds(second), held: held) { others[$0.step] ?? attempt }
            switch command {
            case .wait(let until): return "wait until \(until / .seconds(1))"
            case .start(let keys, let alone): return "start \(keys.map(\.step))\(alone ? " alone" : "")"
            case .rest: return "rest"
            }
        }

        func watch(_ steps: [Int], at second: Int) {
            held.subtract(steps.map { key($0) })
            hold.watch(steps.map { key($0) }, now: .seconds(second), in: &record)
        }

        /// - Returns: whether that changes the record.
        func endWatch() -> Bool { hold.endWatch(held: held, in: &record) }

        /// Starts everything, each group when the one before has ended.
        ///
        /// - Returns: the groups, each with how often it is suspected, and whether no other stream watches any.
        func startAll() -> [String] {
            var groups: [String] = []
            while case .start(let keys, let alone) = hold.next(now: .seconds(1), held: held, attempt: { _ in .over }) {
                watch(keys.map(\.step), at: 1)
                groups.append("\(keys.map(\.step)) \(record.suspicions)\(alone ? " alone" : "")")
            }
            return groups
        }
    }

    @Test func `groups grow, and each is watched before the next one starts`() {
        let bench = Bench()
        bench.held = Set((1...9).map { key($0) })
        #expect(bench.next(0) == "wait until 1.0")
        var second = 1
        for group in [1...1, 2...3, 4...7, 8...9] {
            #expect(bench.next(second, .running) == "start \(Array(group))")
            bench.watch(Array(group), at: second)
            #expect(bench.record.suspects == .init(key(group.lowerBound), key(group.upperBound)))
            #expect(bench.record.suspicions == 1)
            #expect(bench.next(second, .running) == "wait until \(second + 5).0")
            #expect(bench.next(second + 4, .running) == "wait until \(second + 5).0")
            second += 5
        }
        #expect(bench.next(second, .running) == "rest")
        // One that its queue has delayed.
        bench.held = [key(10)]
        #expect(bench.next(second + 1, .running) == "start [10]")
    }

    @Test func `the next group starts at once when the one before has ended`() {
        let bench = Bench()
        bench.held = Set((1...3).map { key($0) })
        #expect(bench.next(1) == "start [1]")
        bench.watch([1], at: 1)
        #expect(bench.next(2, .over) == "start [2, 3]")
        bench.watch([2, 3], at: 2)
        #expect(bench.next(3, .over, except: [2: .running]) == "wait until 8.0")
        #expect(bench.next(4, .over) == "rest")
    }

    @Test func `the watch of a group begins when its last body starts`() {
        let bench = Bench()
        bench.watch([1, 2], at: 1)
        #expect(bench.next(6, .starting) == "wait until 11.0")
        #expect(bench.next(7, .running, except: [1: .starting]) == "wait until 12.0")
        #expect(bench.next(8, .running) == "wait until 13.0")
        #expect(bench.next(9, .running) == "wait until 13.0")
        #expect(bench.next(13, .running) == "rest")
    }

    @Test func `suspects start first, one half after the other, and the others after them`() {
        let bench = Bench(4...8, suspicions: 2)
        bench.held = Set((1...9).map { key($0) })
        #expect(bench.startAll() == ["[4, 5, 6] 3 alone", "[7, 8] 3 alone", "[1] 1", "[2, 3] 1", "[9] 1"])
    }

    @Test(arguments: [0, 1, 2, 3]) func `suspects of the last suspicion are watched alone`(_ suspicions: Int) {
        let bench = Bench(1...1, suspicions: suspicions)
        bench.held = [key(1), key(2)]
        #expect(bench.next(1) == "start [1]\(suspicions < 2 ? "" : " alone")")
        bench.watch([1], at: 1)
        #expect(bench.next(2) == "start [2]")
    }

    @Test func `a suspect that its queue has delayed is suspected again when it starts`() {
        let bench = Bench(4...4, suspicions: 2)
        bench.held = [key(1)]
        #expect(bench.startAll() == ["[1] 1"])
        bench.held = [key(2), key(4)]
        #expect(bench.startAll() == ["[4] 3 alone", "[2] 1"])
    }

    @Test func `a group of which nothing was started is not watched`() {
        let bench = Bench()
        bench.held = [key(1)]
        #expect(bench.next(1) == "start [1]")
        bench.held = []
        bench.watch([], at: 1)
        #expect(bench.record == CrashLoopRecord())
        #expect(bench.next(1) == "rest")
    }

    @Test func `after its watch a group is not suspected any more, and suspects that are still held stay suspects`() {
        let bench = Bench(1...2, suspicions: 2)
        bench.held = [key(1), key(2), key(3)]
        #expect(!bench.endWatch(), "no group was watched yet")
        let groups: [(Int, left: CrashLoopRecord.Suspects?)] = [
            (1, CrashLoopRecord.Suspects(key(1), key(2))), (2, nil), (3, nil),
        ]
        for (group, left) in groups {
            #expect(bench.next(1).hasPrefix("start [\(group)]"))
            bench.watch([group], at: 1)
            #expect(bench.record.suspicions == (group < 3 ? 3 : 1))
            #expect(bench.endWatch())
            #expect(bench.record.suspects == left)
            #expect(bench.record.suspicions == 0)
            #expect(!bench.endWatch())
        }
    }

    @Test func `ten thousand effects start in fourteen groups, however long each of them runs`() {
        var simulation = CrashLoopSimulation()
        let runs = (1...10_000).map { key($0) }
        for _ in 0..<3 { simulation.open(runs, CrashLoopSimulation.Life(killed: .milliseconds(9_000))) }
        // The first hold lasts ten seconds at most, and each watch as well.
        let isStable = simulation.open(runs, CrashLoopSimulation.Life(killed: .seconds(151)))
        #expect(isStable)
        #expect(simulation.groups == (0...12).map { 1 << $0 } + [1_809])
        #expect(simulation.groups.reduce(0, +) == 10_000)
    }
}

private func key(_ step: Int) -> RunKey { RunKey(step: step) }
