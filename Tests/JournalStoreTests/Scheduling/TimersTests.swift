import Testing

@testable import JournalStore

@Suite struct `Scheduling, timers` {
    private let bench = Bench()

    // MARK: Due

    @Test(arguments: [.after(.seconds(60)), .at(Timestamp(microseconds: 1_700_000_060_000_000))] as [TimerPlan])
    func `a timer fires once when it is due, and ends with its action`(_ plan: TimerPlan) {
        bench.addTimer(1, plan)
        bench.run(to: .seconds(60) - .microseconds(1))
        #expect(bench.ticks == [])
        bench.turn(to: .seconds(60))
        bench.turn(to: .seconds(70))
        #expect(bench.ticks == [1])
        #expect(bench.end(1) == nil, "not before its action is committed")
        let record = bench.scheduler.recordAfterTick(Bench.key(1), at: bench.now)
        #expect(record?.status == .completed && record?.delivered == 1)
        #expect(record?.ended == bench.now.date && record?.notBefore == nil)
        bench.commitTick(1)
        #expect(bench.end(1) == .completed)
        #expect(bench.started == [] && bench.isForgotten)
    }

    @Test func `a timer that was set aside is due when it was, or when its ticks so far say`() {
        let cases: [(delivered: Int, age: Int64, left: Int64?, expected: Int64)] = [
            (0, 0, nil, 60), (3, 190, nil, 50), (3, 190, 20, 20),
        ]
        for (delivered, age, left, expected) in cases {
            let bench = Bench()
            var record = Bench.request(1).record
            record.status = .asked
            record.delivered = delivered
            record.notBefore = left.map { bench.now.date.advanced(by: .seconds($0)) }
            bench.restoreTimer(
                record, .every(.seconds(60), .all), time: bench.now.date.advanced(by: .seconds(-age)))
            bench.look()
            bench.scheduler.release(Bench.key(1), at: bench.now)
            bench.run(to: .seconds(expected) - .microseconds(1))
            #expect(bench.ticks == [])
            bench.turn(to: .seconds(expected))
            #expect(bench.ticks == [1])
        }
    }

    /// Each opening would wait for the whole duration again.
    @Test(arguments: [.after(.seconds(60)), .every(.seconds(60), .one)] as [TimerPlan])
    func `a timer that waits for a duration is due after it also if the clock was set back and the process restarts`(
        _ plan: TimerPlan
    ) throws {
        let first = Bench()
        first.setClock(by: 3_600)
        first.addTimer(1, plan)
        first.look()
        var record = try #require(first.record(1))
        for (waits, left) in [(40, 60), (15, 20)] as [(Int64, Int64)] {
            let bench = Bench()
            bench.setClock(by: waits == 40 ? 0 : 40)
            bench.restoreTimer(record, plan, time: first.now.date)
            bench.look()
            record = try #require(bench.scheduler.runs[Bench.key(1)]?.record)
            #expect(record.notBefore == bench.now.date.advanced(by: .seconds(left)))
            bench.run(to: .seconds(left) - .microseconds(1))
            #expect(bench.ticks == [])
            bench.turn(to: .seconds(left))
            #expect(bench.ticks == [1])
        }
    }

    @Test func `a timeout that each step sets anew leaves nothing behind`() {
        for number in 1...500 {
            bench.addTimer(number, .after(.seconds(2_592_000)))
            bench.look()
            bench.cancel(number)
            bench.look()
        }
        #expect(bench.scheduler.wake.count <= 65)
    }

    @Test func `a timer is recorded at once as delayed until it is due`() {
        bench.addTimer(1, .after(.seconds(60)))
        bench.look()
        #expect(bench.statuses(1) == [.delayed])
        #expect(bench.records(1)[0].notBefore == bench.now.date(at: .seconds(60)))
    }

    @Test(arguments: [TimerPlan.after(.zero), .after(.seconds(-5)), .at(Timestamp(microseconds: 7))])
    func `a timer that is already due fires at once`(_ plan: TimerPlan) {
        bench.addTimer(1, plan)
        bench.look()
        #expect(bench.ticks == [1])
    }

    @Test func `a repeating timer fires at each whole interval, one action at a time`() {
        bench.addTimer(1, .every(.seconds(10), .one))
        bench.run(to: .seconds(35))
        #expect(bench.ticks == [1, 1, 1])
        #expect(bench.record(1)?.delivered == 3)
        #expect(bench.record(1)?.notBefore == bench.now.date(at: .seconds(40)))
        bench.turn(to: .seconds(75))
        #expect(bench.ticks.count == 4, "the next one waits for the commit of this one")
    }

    @Test(arguments: [(.one, 2, 60), (.all, 5, 60), (.none, 1, 60)] as [(MissedTicks, Int, Int)])
    func `a repeating timer treats ticks missed during system sleep as configured`(
        _ missed: MissedTicks, _ count: Int, _ next: Int
    ) {
        bench.addTimer(1, .every(.seconds(10), missed))
        bench.run(to: .seconds(10))
        bench.turn(to: .seconds(55))
        bench.run(to: .seconds(55))
        #expect(bench.ticks.count == count)
        #expect(bench.scheduler.nextWake == .seconds(next))
        bench.run(to: .seconds(60))
        #expect(bench.ticks.count == count + 1)
    }

    @Test func `a timer does not fire while the disk is full`() {
        bench.addTimer(1, .after(.seconds(5)))
        bench.look()
        bench.scheduler.isPaused = true
        bench.turn(to: .seconds(5))
        #expect(bench.ticks == [])
        bench.scheduler.isPaused = false
        bench.look()
        #expect(bench.ticks == [1])
    }

    @Test(arguments: [.after(.seconds(Int64.max)), .every(.seconds(Int64.max), .all)] as [TimerPlan])
    func `a timer that is too far away waits as long as possible`(_ plan: TimerPlan) {
        bench.addTimer(1, plan)
        bench.look()
        #expect(bench.scheduler.nextWake == Duration.longestWait)
    }

    // MARK: Cancelling

    private static let plans: [TimerPlan] = [.after(.seconds(5)), .every(.seconds(5), .one)]

    @Test(arguments: plans) func `a timer is cancelled by its ID before it is due`(_ plan: TimerPlan) {
        bench.addTimer(1, plan, id: JobID("a"))
        bench.look()
        bench.cancel(id: JobID("a"))
        bench.run(to: .seconds(99))
        #expect(bench.ticks == [])
        #expect(bench.end(1) == .cancelled)
        #expect(bench.isForgotten)
    }

    @Test(arguments: plans) func `a timer is cancelled while its action is being committed`(_ plan: TimerPlan) {
        bench.addTimer(1, plan, id: JobID("a"))
        bench.look()
        bench.turn(to: .seconds(5))
        #expect(bench.ticks == [1])
        bench.cancel(id: JobID("a"))
        bench.look()
        #expect(bench.scheduler.recordAfterTick(Bench.key(1), at: bench.now) == nil)
        #expect(bench.end(1) == .cancelled)
        #expect(bench.stopped == [] && bench.isForgotten)
    }

    @Test func `a timer is cancelled between two ticks`() {
        bench.addTimer(1, .every(.seconds(5), .one), id: JobID("a"))
        bench.run(to: .seconds(12))
        bench.cancel(id: JobID("a"))
        bench.run(to: .seconds(99))
        #expect(bench.ticks == [1, 1])
        #expect(bench.records(1).last?.delivered == 2)
    }

    // MARK: A wall clock that is set

    @Test(arguments: [-31_536_000, -1, 1, 31_536_000])
    func `a timer with a duration does not depend on the wall clock`(_ seconds: Int64) {
        bench.addTimer(1, .after(.seconds(60)))
        bench.addTimer(2, .every(.seconds(45), .one))
        bench.look()
        bench.turn(to: .seconds(20))
        bench.setClock(by: Double(seconds))
        bench.turn(to: .seconds(44))
        #expect(bench.ticks == [])
        bench.turn(to: .seconds(45))
        #expect(bench.ticks == [2])
        bench.commitTick(2)
        bench.turn(to: .seconds(60))
        #expect(bench.ticks == [2, 1])
        // The next one is an interval away at the most.
        bench.turn(to: .seconds(90))
        #expect(bench.ticks == [2, 1, 2])
    }

    @Test func `a timer with a date waits longer if the wall clock is set back`() {
        bench.addTimer(1, .at(bench.now.date(at: .seconds(20))))
        bench.look()
        bench.setClock(by: -100)
        bench.run(to: .seconds(119))
        #expect(bench.ticks == [])
        bench.run(to: .seconds(120))
        #expect(bench.ticks == [1])
    }

    @Test func `a timer with a date checks the wall clock every thirty seconds, and no more often`() {
        bench.addTimer(1, .at(bench.now.date(at: .seconds(3_600))))
        bench.look()
        var wakes: [Duration] = []
        while let wake = bench.scheduler.nextWake, wakes.count < 200, bench.ticks.isEmpty {
            wakes.append(wake)
            bench.turn(to: wake)
        }
        #expect(wakes == (1...120).map { .seconds($0 * 30) })
        #expect(bench.ticks == [1])
        #expect(bench.records(1).count == 1, "a check of the clock is not recorded")
    }

    @Test func `a timer with a date notices within thirty seconds that the clock was set forward`() {
        bench.addTimer(1, .at(bench.now.date(at: .seconds(3_600))))
        bench.run(to: .seconds(95))
        bench.setClock(by: 3_600)
        bench.run(to: .seconds(119))
        #expect(bench.ticks == [])
        bench.run(to: .seconds(120))
        #expect(bench.ticks == [1])
    }

    @Test(arguments: MissedTicks.allCases, [3_605, -3_605])
    func `a repeated timer keeps its interval if the clock is set`(_ missed: MissedTicks, _ change: Double) {
        let start = bench.now.date
        bench.addTimer(1, .every(.seconds(60), missed))
        bench.look()
        bench.setClock(by: change)
        for tick in 1...3 {
            bench.run(to: .seconds(60 * tick) - .microseconds(1))
            #expect(bench.ticks.count == tick - 1)
            bench.turn(to: .seconds(60 * tick))
            #expect(bench.ticks.count == tick)
            bench.commitTick(1)
        }
        bench.look()
        #expect(bench.record(1)?.notBefore == start.advanced(by: .seconds(240 + change)))
    }

    @Test(arguments: [0.4, -0.4]) func `a repeated timer follows a clock that is kept right`(_ change: Double) {
        let start = bench.now.date
        bench.addTimer(1, .every(.seconds(60), .one))
        bench.look()
        bench.setClock(by: change)
        bench.turn(to: .seconds(60))
        bench.commitTick(1)
        bench.look()
        #expect(bench.record(1)?.notBefore == start.advanced(by: .seconds(120)))
    }

    @Test func `a timer that waits for longer than a clock can is not due before its time`() {
        let years = Duration.seconds(40 * 365 * 86_400)
        bench.addTimer(1, .after(years))
        bench.run(to: years - .seconds(1))
        #expect(bench.ticks == [])
        bench.run(to: years)
        #expect(bench.ticks == [1])
    }

    // MARK: After a restart

    /// The timer as another process restores it, this many seconds later by the wall clock.
    private func restored(_ plan: TimerPlan, after: Int64, running: Duration = .zero) -> Bench {
        bench.addTimer(1, plan, id: JobID("a"))
        bench.run(to: running)
        let next = Bench()
        next.now.date = bench.now.date(at: .seconds(after))
        if let record = bench.record(1) { next.restoreTimer(record, plan, id: JobID("a")) }
        next.look()
        return next
    }

    @Test(arguments: [TimerPlan.after(.seconds(60)), .every(.seconds(60), .none)])
    func `a restored timer waits for what is left`(_ plan: TimerPlan) {
        let next = restored(plan, after: 50)
        #expect(next.scheduler.nextWake == .seconds(10))
        #expect(next.records(1) == [], "nothing has changed")
        next.run(to: .seconds(10))
        #expect(next.ticks == [1])
    }

    @Test(arguments: [TimerPlan.after(.seconds(60)), .every(.seconds(60), .one)])
    func `a restored timer waits no longer than at first if the clock was set back`(_ plan: TimerPlan) {
        let next = restored(plan, after: -31_536_000)
        #expect(next.scheduler.nextWake == .seconds(60))
        next.run(to: .seconds(60))
        #expect(next.ticks == [1])
    }

    @Test func `a restored timer with a date waits for that date`() {
        let time = bench.now.date(at: .seconds(60))
        let next = restored(.at(time), after: -100)
        next.run(to: .seconds(159))
        #expect(next.ticks == [])
        next.run(to: .seconds(160))
        #expect(next.ticks == [1])
    }

    @Test(arguments: [(.one, 1), (.all, 4), (.none, 0)] as [(MissedTicks, Int)])
    func `a restored timer catches up on missed ticks as configured`(_ missed: MissedTicks, _ count: Int) {
        // Two ticks, then four while it was down.
        let next = restored(.every(.seconds(10), missed), after: 65, running: .seconds(25))
        next.run(to: .zero)
        #expect(next.ticks.count == count)
        #expect(next.record(1)?.delivered == 2 + count)
        #expect(next.scheduler.nextWake == .seconds(5))
    }

    @Test func `a restored timer is cancelled by its ID`() {
        let next = restored(.every(.seconds(10), .one), after: 5)
        next.cancel(id: JobID("a"))
        next.run(to: .seconds(99))
        #expect(next.ticks == [])
        #expect(next.end(1) == .cancelled)
    }
}
