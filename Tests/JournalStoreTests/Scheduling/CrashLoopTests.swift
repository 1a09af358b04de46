import Testing

@testable import JournalStore

@Suite struct `Crash loops` {
    private typealias Life = CrashLoopSimulation.Life

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

    @Test func `each suspicion makes the next hold four times as long, up to sixteen times`() {
        let holds = (0...4).map { suspicions in
            let record = CrashLoopRecord(openings: 3, longest: 1_000_000, suspicions: suspicions)
            return CrashLoopRecord.plan(after: record, lastSeen: nil, now: Timestamp(microseconds: 1)).hold
        }
        #expect(holds == [4, 16, 64, 64, 64].map { Duration.seconds($0) })
    }

    @Test func `an end while a group was watched says nothing about the length of other openings`() {
        for (suspicions, longest) in [(0, 10_000_000), (1, 7), (2, 7)] {
            let record = CrashLoopRecord(openings: 3, longest: 7, suspicions: suspicions)
            let (seen, now) = (Timestamp(microseconds: 5_000_000), Timestamp(microseconds: 6_000_000))
            let plan = CrashLoopRecord.plan(after: record, lastSeen: seen, now: now)
            #expect(plan.record.longest == Int64(longest))
        }
    }

    @Test func `a single suspect is parked after three suspicions, unless crash loops are not looked for`() {
        let suspects = CrashLoopRecord.Suspects(runs[1], runs[1])
        for suspicions in 0...4 {
            let record = CrashLoopRecord(openings: 9, suspects: suspects, suspicions: suspicions)
            let now = Timestamp(microseconds: 1)
            let plan = CrashLoopRecord.plan(after: record, lastSeen: nil, now: now)
            #expect(plan.parked == (suspicions < 3 ? nil : runs[1]))
            #expect(plan.record.suspects == (suspicions < 3 ? suspects : nil))
            #expect(plan.record.suspicions == 0)
            #expect(CrashLoopRecord.plan(after: record, lastSeen: nil, now: now, tolerated: nil).parked == nil)
        }
    }

    @Test func `several suspects are not parked, however often they are suspected`() {
        let record = CrashLoopRecord(
            openings: 99, suspects: CrashLoopRecord.Suspects(runs[0], runs[1]), suspicions: 99)
        let plan = CrashLoopRecord.plan(after: record, lastSeen: nil, now: Timestamp(microseconds: 1))
        #expect(plan.parked == nil)
        #expect(plan.record.suspects == record.suspects)
    }

    @Test func `a stable opening clears the crash-loop record`() {
        var simulation = CrashLoopSimulation()
        for _ in 0..<3 { simulation.open(runs, Life(killed: .milliseconds(20))) }
        #expect(simulation.record?.openings == 3)
        let isStable = simulation.open(runs, Life(killed: .seconds(60)))
        #expect(isStable)
        #expect(simulation.record == nil)
    }

    @Test func `an end during the hold takes all suspicions back, and keeps the suspects`() {
        var simulation = CrashLoopSimulation()
        for _ in 0..<3 { simulation.open(runs, Life(killed: .milliseconds(20))) }
        let guilty = CrashLoopSimulation.Guilty(key: runs[0], after: .milliseconds(5))
        for count in 1...2 {
            simulation.open(runs, Life(killed: .seconds(60)), guilty: [guilty])
            #expect(simulation.record?.suspicions == count)
        }
        simulation.open(runs, Life(killed: .milliseconds(20)), guilty: [guilty])
        #expect(simulation.record?.suspicions == 0)
        #expect(simulation.record?.suspects?.only == runs[0])
        for count in 1...3 {
            simulation.open(runs, Life(killed: .seconds(60)), guilty: [guilty])
            #expect(simulation.record?.suspicions == count)
        }
        #expect(simulation.parked == [])
    }

    /// What a file can hold, if it is not what was written.
    @Test(arguments: [Int.min, -1, 0, 1, .max], [Int.min, -1, 0, 1, .max])
    func `a record with any numbers does no harm`(_ number: Int, _ other: Int) throws {
        let (first, second) = (RunKey(step: number, ordinal: other), RunKey(step: other, ordinal: number))
        let time = Int64(number)
        for suspects in [(first, second), (second, first), (first, first)] {
            let record = CrashLoopRecord(
                openings: number, began: time, longest: Int64(other),
                suspects: CrashLoopRecord.Suspects(suspects.0, suspects.1), suspicions: other)
            let codec = JSONCodec()
            let copy = try codec.decode(CrashLoopRecord.self, from: codec.encode(record))
            #expect(copy == record)
            for seen in [Timestamp(microseconds: .min), Timestamp(microseconds: 1), Timestamp(microseconds: .max)] {
                let plan = CrashLoopRecord.plan(after: copy, lastSeen: seen, now: seen, randomPart: Double(number))
                #expect(plan.hold == nil || number > 0)
                #expect(plan.record.openings > 0)
                #expect(plan.watchTime <= CrashLoopRecord.stableAfter)
                #expect(plan.hold ?? .zero <= .seconds(321))
                #expect(plan.parked.map { $0 == suspects.0 && $0 == suspects.1 } ?? true)
                let started = startAll(CrashLoopHold(plan, hold: .zero, now: .zero))
                #expect(started.sorted() == runs)
            }
        }
    }

    /// Starts all runs, each group when the one before has ended.
    private func startAll(_ hold: CrashLoopHold) -> [RunKey] {
        var (hold, record) = (hold, CrashLoopRecord())
        var started: [RunKey] = []
        while case .start(let keys, _) = hold.next(
            now: .zero, held: Set(runs).subtracting(started), attempt: { _ in .over })
        {
            started += keys
            hold.watch(keys, now: .zero, in: &record)
        }
        return started
    }
}
