import Testing

@testable import JournalStore

/// A moment, in seconds after the timer's step.
private func at(_ seconds: Double) -> Timestamp {
    Timestamp(microseconds: 1_700_000_000_000_000 + Int64(seconds * 1_000_000))
}

@Suite struct `Machine, timer plans` {
    // MARK: The first time

    @Test func `an after timer is due its duration after the step`() {
        #expect(TimerPlan.after(.seconds(5)).first(after: at(0)) == at(5))
        #expect(TimerPlan.after(.zero).first(after: at(0)) == at(0))
        #expect(TimerPlan.after(.seconds(-5)).first(after: at(0)) == at(0))
        #expect(TimerPlan.after(.seconds(Int64.max)).first(after: at(0)).microseconds == .max)
    }

    @Test func `an at timer is due at its time, whenever the step was`() {
        #expect(TimerPlan.at(at(-9)).first(after: at(0)) == at(-9))
        #expect(TimerPlan.at(at(9)).first(after: at(0)) == at(9))
    }

    @Test func `an every timer is first due one interval after the step`() {
        #expect(TimerPlan.every(.seconds(5), .one).first(after: at(0)) == at(5))
    }

    /// A file can hold any number.
    @Test func `a timer that has ticked more often than time can tell is due at the end of time`() {
        let plan = TimerPlan.every(.seconds(5), .one)
        #expect(plan.next(after: at(0), delivered: 3) == at(20))
        #expect(plan.next(after: at(0), delivered: .max).microseconds == .max)
    }

    @Test(arguments: [Duration.zero, .seconds(-5), .microseconds(1)])
    func `no interval is shorter than a millisecond`(_ interval: Duration) {
        let plan = TimerPlan.every(interval, .all)
        #expect(plan.interval == .milliseconds(1))
        #expect(plan.first(after: at(0)) == at(0.001))
        #expect(plan.tick(at(0), now: at(0)).next == at(0.001))
    }

    // MARK: A tick

    /// A tick of a ten-second timer, due at ten seconds: whether it is sent, and when the next one is due.
    struct Tick: CustomTestStringConvertible {
        var now: Double
        var missed: MissedTicks
        var isSent = true
        var next: Double

        var testDescription: String { "\(missed) at \(now)" }
    }

    @Test(arguments: [
        Tick(now: 10, missed: .one, next: 20), Tick(now: 10, missed: .all, next: 20),
        Tick(now: 10, missed: .none, next: 20),
        // A little late: none is missed yet.
        Tick(now: 19.9, missed: .one, next: 20), Tick(now: 19.9, missed: .all, next: 20),
        Tick(now: 19.9, missed: .none, next: 20),
        // Exactly when the second is due.
        Tick(now: 20, missed: .one, next: 30), Tick(now: 20, missed: .all, next: 20),
        Tick(now: 20, missed: .none, isSent: false, next: 20),
        // So late that several were missed.
        Tick(now: 47, missed: .one, next: 50), Tick(now: 47, missed: .all, next: 20),
        Tick(now: 47, missed: .none, isSent: false, next: 50),
        // The clock was set back.
        Tick(now: -1_000, missed: .one, next: 20), Tick(now: -1_000, missed: .all, next: 20),
        Tick(now: -1_000, missed: .none, next: 20),
    ])
    func `the next tick of an every timer is a whole number of intervals later`(_ test: Tick) {
        let (isSent, next) = TimerPlan.every(.seconds(10), test.missed).tick(at(10), now: at(test.now))
        #expect(isSent == test.isSent)
        #expect(next == at(test.next))
    }

    @Test func `an after or at timer sends its action, and no other tick follows`() {
        for plan in [TimerPlan.after(.seconds(5)), .at(at(5))] {
            for now in [-1_000, 5, 1_000] {
                let (isSent, next) = plan.tick(at(5), now: at(Double(now)))
                #expect(isSent && next == nil)
            }
        }
    }

    // MARK: An opening

    @Test(
        arguments: [
            (.every(.seconds(10), .none), 10, 10), (.every(.seconds(10), .none), 9, 10),
            (.every(.seconds(10), .none), 10.5, 20), (.every(.seconds(10), .none), 47, 50),
            (.every(.seconds(10), .none), 50, 50), (.every(.seconds(10), .none), -1_000, 10),
            (.every(.seconds(10), .one), 47, 10), (.every(.seconds(10), .all), 47, 10), (.after(.seconds(10)), 47, 10),
            (.at(at(10)), 47, 10),
        ] as [(TimerPlan, Double, Double)])
    func `an opening skips missed ticks only under the rule none`(_ plan: TimerPlan, _ now: Double, _ due: Double) {
        #expect(plan.afterOpening(at(10), now: at(now)) == at(due))
    }

    // MARK: Extremes

    @Test func `no time of a clock or a file traps`() async {
        await #expect(processExitsWith: .success) {
            let extremes = [Int64.min, -1, 0, 1, .max].map { Timestamp(microseconds: $0) }
            let intervals = [Duration.seconds(Int64.min), .seconds(-1), .zero, .seconds(1), .seconds(Int64.max)]
            for due in extremes {
                for now in extremes {
                    for interval in intervals {
                        for plan in MissedTicks.allCases.map({ TimerPlan.every(interval, $0) })
                            + [.after(interval), .at(due)]
                        {
                            _ = (plan.first(after: due), plan.tick(due, now: now), plan.afterOpening(due, now: now))
                        }
                    }
                }
            }
        }
    }

    @Test func `an interval beyond the last timestamp is due at the last timestamp`() {
        let plan = TimerPlan.every(.seconds(Int64.max), .one)
        #expect(plan.first(after: at(0)).microseconds == .max)
        #expect(plan.tick(at(0), now: at(1)).next?.microseconds == .max)
    }

    // MARK: As it is stored

    @Test(
        arguments: [
            (.after(.seconds(60)), #"{"after":60000000}"#),
            (.at(Timestamp(microseconds: 1_767_225_600_000_000)), #"{"at":1767225600000000}"#),
            (.every(.seconds(1), .one), #"{"every":1000000,"missed":"one"}"#),
            (.every(.milliseconds(1), .all), #"{"every":1000,"missed":"all"}"#),
            (.every(.seconds(3_600), .none), #"{"every":3600000000,"missed":"none"}"#),
        ] as [(TimerPlan, String)])
    func `a timer plan is stored in microseconds`(_ plan: TimerPlan, _ text: String) throws {
        #expect(try JSONCodec().encode(plan) == text)
        #expect(try JSONCodec().decode(TimerPlan.self, from: text) == plan)
    }

    @Test(arguments: ["{}", #"{"every":1}"#, #"{"every":1,"missed":"two"}"#, #"{"after":"x"}"#])
    func `a text that is not a timer plan is refused`(_ text: String) {
        #expect(throws: DecodingError.self) { try JSONCodec().decode(TimerPlan.self, from: text) }
    }
}
