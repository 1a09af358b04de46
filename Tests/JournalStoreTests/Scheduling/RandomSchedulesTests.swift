import Foundation
import Testing

@testable import JournalStore

@Suite struct `Scheduling, random sequences of events` {
    /// SCHEDULES multiplies the number of schedules: `SCHEDULES=100 swift test --filter 'random sequences of events'`.
    private static let rounds = 10 * (ProcessInfo.processInfo.environment["SCHEDULES"].flatMap { UInt64($0) } ?? 1)

    private static func schedules(_ round: UInt64, hasRestarts: Bool = false) -> [RandomSchedule] {
        (0..<100 as Range<UInt64>).map { part in
            let schedule = RandomSchedule(seed: round * 1000 + part, hasRestarts: hasRestarts)
            schedule.run(events: 60)
            return schedule
        }
    }

    private static func expectNoProblem(_ schedules: [RandomSchedule]) {
        let failed = schedules.first { !$0.problems.isEmpty }
        #expect(failed == nil, "seed \(failed?.seed ?? 0): \(failed?.problems.prefix(3) ?? [])")
    }

    @Test(arguments: 1...rounds) func `each run starts when its queue permits, and ends once`(_ round: UInt64) {
        Self.expectNoProblem(Self.schedules(round))
    }

    @Test(arguments: 1...rounds) func `with restarts each run is in one place, and no slot stays free`(
        _ round: UInt64
    ) {
        Self.expectNoProblem(Self.schedules(round, hasRestarts: true))
    }

    @Test(arguments: 1...5) func `each run has a record after each pump`(_ round: UInt64) {
        let failed = Self.schedules(round).first { !$0.unrecorded.isEmpty }
        #expect(failed == nil, "seed \(failed?.seed ?? 0): \(failed?.unrecorded.map(\.step).sorted() ?? [])")
    }
}
