import Testing

@testable import JournalStore

/// A process that ends again and again, from outside or because of one guilty effect.
private struct Simulation {
    var record: CrashLoopRecord?
    var now = Timestamp(microseconds: 1_000_000_000)
    var parked: RunKey?
    var lastSeen: Timestamp?

    /// One opening. It ends from outside after `life`, or by the guilty effect this long after its start.
    ///
    /// - Returns: whether it became stable.
    mutating func open(runs: [RunKey], life: Duration, guilty: (key: RunKey, after: Duration)? = nil) -> Bool {
        let plan = CrashLoopRecord.plan(after: record, lastSeen: lastSeen, now: now)
        if let found = plan.parked { parked = parked ?? found }
        var left = plan.record
        var tick = Duration.zero
        var end = life
        var isOver = life < CrashLoopRecord.stableAfter
        let runs = runs.filter { $0 != parked }
        if let duration = plan.hold {
            var hold = CrashLoopHold(hold: duration, trial: plan.trial, now: .zero)
            var held = runs
            loop: while tick < end {
                switch hold.next(now: tick, first: held.first, isLive: { _ in true }) {
                case .wait(let until): tick = until
                case .admit(let key):
                    held.removeFirst()
                    left.suspect = CrashLoopRecord.Suspect(step: key.step, ordinal: key.ordinal)
                    if let guilty, guilty.key == key, guilty.key != parked, tick + guilty.after < end {
                        end = tick + guilty.after
                        isOver = true
                    }
                case .rest:
                    // Stable only now, however long it has taken.
                    left.suspect = nil
                    isOver = life < max(tick, CrashLoopRecord.stableAfter)
                    break loop
                }
            }
            if tick >= end { isOver = true }
        } else if let guilty, guilty.key != parked {
            end = min(end, guilty.after)
            isOver = true
        }
        // The process was seen alive after 1, 2, 4 … milliseconds.
        var seen = Duration.zero
        var next = Duration.milliseconds(1)
        while next <= end {
            seen = next
            next *= 2
        }
        lastSeen = now.advanced(by: seen)
        record = isOver ? left : nil
        now = now.advanced(by: end + .milliseconds(50))
        return !isOver
    }
}

@Suite struct `Crash loops` {
    private let runs = (1...5).map { RunKey(step: $0) }

    @Test func `three early ends make a crash loop, and two do not`() {
        var earlier: CrashLoopRecord?
        for count in 1...3 {
            let plan = CrashLoopRecord.plan(after: earlier, lastSeen: nil, now: Timestamp(microseconds: 1))
            #expect(plan.hold == nil)
            #expect(plan.parked == nil)
            #expect(plan.record.openings == count)
            earlier = plan.record
        }
        #expect(CrashLoopRecord.plan(after: earlier, lastSeen: nil, now: Timestamp(microseconds: 1)).hold != nil)
    }

    @Test(arguments: [Int.min, .max]) func `a record with any numbers leads to a plan`(_ number: Int) {
        let time = Int64(number)
        let record = CrashLoopRecord(openings: number, began: time, longest: time)
        for seen in [Timestamp(microseconds: .min), Timestamp(microseconds: 1), Timestamp(microseconds: .max)] {
            let plan = CrashLoopRecord.plan(after: record, lastSeen: seen, now: seen)
            #expect(plan.hold == nil || number > 0)
            #expect(plan.record.openings > 0)
            #expect(plan.trial <= CrashLoopRecord.stableAfter)
        }
    }

    @Test(arguments: [0, 1, 20, 300, 900])
    func `effects that crash the process are parked, and no others`(_ milliseconds: Int) {
        for guilty in runs {
            var simulation = Simulation()
            var openings = 0
            while !simulation.open(
                runs: runs, life: .seconds(3600), guilty: (guilty, .milliseconds(milliseconds)))
            {
                openings += 1
                #expect(openings < 10)
                if openings > 20 { return }
            }
            #expect(simulation.parked == guilty)
            #expect(openings == 4)
        }
    }

    @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
    func `a thousand kills from outside park no effect`(_ seed: UInt64) {
        var random = Numbers(seed: seed)
        var simulation = Simulation()
        for _ in 0..<1000 {
            // Evenly distributed, or with a long tail.
            let share = Double.random(in: 0..<1, using: &random)
            let life: Double = seed % 2 == 0 ? 300 * share : 40 / (1.02 - share)
            _ = simulation.open(runs: runs, life: .microseconds(Int64(life * 1000)))
        }
        #expect(simulation.parked == nil)
    }

    @Test func `openings that live longer each time park no effect`() {
        var simulation = Simulation()
        for count in 0..<1000 { _ = simulation.open(runs: runs, life: .milliseconds(5 + count * 9)) }
        #expect(simulation.parked == nil)
    }

    @Test func `a stable opening clears the crash-loop record`() {
        var simulation = Simulation()
        for _ in 0..<3 { _ = simulation.open(runs: runs, life: .milliseconds(20)) }
        #expect(simulation.record?.openings == 3)
        let isStable = simulation.open(runs: runs, life: .seconds(60))
        #expect(isStable)
        #expect(simulation.record == nil)
    }

    @Test func `a held effect is admitted at once when the one before it ends`() {
        var hold = CrashLoopHold(hold: .seconds(1), trial: .seconds(5), now: .zero)
        func next(_ now: Duration, _ first: RunKey?, _ isRunning: Bool) -> CrashLoopHold.Command {
            hold.next(now: now, first: first) { _ in isRunning }
        }
        #expect(next(.zero, runs[0], true) == .wait(.seconds(1)))
        #expect(next(.seconds(1), runs[0], true) == .admit(runs[0]))
        #expect(next(.seconds(2), runs[1], true) == .wait(.seconds(6)))
        #expect(next(.seconds(2), runs[1], false) == .admit(runs[1]))
        #expect(next(.seconds(3), nil, true) == .wait(.seconds(7)))
        #expect(next(.seconds(7), nil, true) == .rest)
    }

    @Test func `the trial of an effect begins when it starts, and no other is admitted before`() {
        var hold = CrashLoopHold(hold: .seconds(1), trial: .seconds(5), now: .zero)
        func next(_ now: Duration, _ first: RunKey?, isStarted: Bool) -> CrashLoopHold.Command {
            hold.next(now: now, first: first, isLive: { _ in true }, isStarted: { _ in isStarted })
        }
        #expect(next(.seconds(1), runs[0], isStarted: false) == .admit(runs[0]))
        #expect(next(.seconds(6), runs[1], isStarted: false) == .wait(.seconds(11)))
        #expect(next(.seconds(10), runs[1], isStarted: true) == .wait(.seconds(15)))
        #expect(next(.seconds(15), runs[1], isStarted: true) == .admit(runs[1]))
    }
}

private struct Numbers: RandomNumberGenerator {
    var seed: UInt64

    mutating func next() -> UInt64 {
        seed &+= 0x9E37_79B9_7F4A_7C15
        var mixed = seed
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
