import Foundation
import Testing

@testable import JournalStore

@Suite struct `Scheduling, random sequences of events with and without restarts` {
    /// SCHEDULES multiplies the number of schedules.
    private static let rounds = 5 * (ProcessInfo.processInfo.environment["SCHEDULES"].flatMap { UInt64($0) } ?? 1)

    @Test(arguments: 1...rounds) func `a restart changes neither queues nor rules nor IDs nor places`(_ round: UInt64) {
        for part in 0..<100 as Range<UInt64> {
            let schedule = RestartedSchedule(seed: round * 1000 + part)
            schedule.run(events: 60)
            guard let problem = schedule.problem else { continue }
            Issue.record("seed \(schedule.seed): \(problem)")
            return
        }
    }
}
