import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// Two stores with the same random script: one stays open, the other one is closed and opened now and then.
@Suite struct `Random stores with and without restarts` {
    /// STORES says how many are tried.
    private static let count = ProcessInfo.processInfo.environment["STORES"].flatMap { UInt64($0) } ?? 24

    private final class Life {
        let journal: Journal
        let clock = ManualClock()
        let stage = LaneStage()
        var store: Store<Play, Score>

        init() async throws {
            var options = Journal.Options()
            options.wallClock = clock.wallClock
            journal = try Journal.inMemory(options: options)
            store = try await stage.open(journal, clock)
        }

        /// The statuses of all effects. A restart may record the same wait under the other name.
        func statuses() async throws -> [String] {
            // The scheduler looks at the time, whether or not the clock has woken it.
            try await store.cancel(id: "nothing")
            try await store.flush()
            return try journal.reader.effectRuns(in: "a").map { run in
                run.status == .delayed || run.status == .waiting ? "waits" : "\(run.status)"
            }
        }
    }

    @Test(arguments: 1...count) func `a restart changes neither queues nor rules nor IDs`(_ seed: UInt64) async throws {
        var random = SplitMix(seed: seed)
        let (undisturbed, restarted) = (try await Life(), try await Life())
        func rule() -> String {
            let kind = Lane.Kind.allCases.randomElement(using: &random) ?? .suspending
            return "\(Int.random(in: 1...3, using: &random)) \([0, 0, 5].randomElement(using: &random) ?? 0) \(kind)"
        }
        var (lane, log) = (rule(), [String]())
        for _ in 0..<30 {
            let name = ["x", "y", "z"].randomElement(using: &random) ?? ""
            if Int.random(in: 0..<4, using: &random) == 0 { lane = rule() }
            switch Int.random(in: 0..<12, using: &random) {
            case 0..<3: log.append("closure \(name) \(lane)")
            case 3..<5: log.append("described \(name) \(lane)")
            case 5: log.append("update \(lane)")
            case 6: log.append("stop \(name)")
            case 7: log.append("cancel")
            case 8..<10: log.append("advance")
            default: log.append("restart")
            }
            switch log.last {
            case "cancel":
                let live = try await undisturbed.store.liveRuns().map(\.key)
                guard let key = live.randomElement(using: &random) else { continue }
                for life in [undisturbed, restarted] { try await life.store.cancel(key) }
            case "advance":
                for life in [undisturbed, restarted] { life.clock.move(by: .seconds(3)) }
            case "restart":
                try await restarted.store.close()
                restarted.store = try await restarted.stage.open(restarted.journal, restarted.clock)
            case let start?:
                for life in [undisturbed, restarted] { try await life.store.dispatch(.start(start)) }
            case nil: break
            }
            let (expected, found) = (try await undisturbed.statuses(), try await restarted.statuses())
            try #require(found == expected, "seed \(seed): \(log)")
        }
        for life in [undisturbed, restarted] { try await life.journal.close() }
    }
}
