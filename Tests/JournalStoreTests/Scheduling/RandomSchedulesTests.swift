import Testing

@testable import JournalStore

@Suite struct `Scheduling, any sequence of events` {
    private static func schedules(_ round: UInt64) -> [RandomSchedule] {
        (0..<100 as Range<UInt64>).map { part in
            let schedule = RandomSchedule(seed: round * 1000 + part)
            schedule.run(events: 60)
            return schedule
        }
    }

    @Test(arguments: 1...20) func `what starts may start, nothing is stuck, everything ends once`(_ round: UInt64) {
        let failed = Self.schedules(round).first { !$0.problems.isEmpty }
        #expect(failed == nil, "seed \(failed?.seed ?? 0): \(failed?.problems.prefix(3) ?? [])")
    }

    @Test(arguments: 1...5) func `after each look the journal was told of each run`(_ round: UInt64) {
        let failed = Self.schedules(round).first { !$0.unrecorded.isEmpty }
        #expect(failed == nil, "seed \(failed?.seed ?? 0): \(failed?.unrecorded.map(\.step).sorted() ?? [])")
    }
}
