import Foundation
import JournalStore
import JournalTesting
import Testing
import TortureKit

/// Stores with random scripts, killed at every moment that leaves something else on the disk.
@Suite struct `Random stores` {
    /// STORES says how many are tried: `STORES=5000 swift test --filter 'Random stores'`.
    private static let count = ProcessInfo.processInfo.environment["STORES"].flatMap { Int($0) } ?? 12

    /// Effects whose end does not depend on when the process was killed. "long" is not among them: its body sleeps anew
    /// after a restart, so that a later stop can meet it that it would have missed.
    private static let names = [
        "plain", "silent", "stream", "sequence", "flaky", "hopeless", "lane", "slow", "delayed", "cascade",
        "refused", "passing", "first", "steps", "described", "described failure", "failure", "after", "message",
        "messages",
    ]

    private static func script(_ random: inout SplitMix) -> [CrashStep<Every>] {
        (0..<Int.random(in: 2...4, using: &random)).flatMap { _ -> [CrashStep<Every>] in
            let start = CrashStep<Every>.dispatch(.start(names.randomElement(using: &random) ?? "plain"))
            switch Int.random(in: 0..<6, using: &random) {
            case 0: return [start, .finish]
            case 1: return [start, .advance(.seconds(Int.random(in: 1...40, using: &random)))]
            case 2: return [.dispatch(.start("long")), .advance(.seconds(20)), .dispatch(.stop("long"))]
            case 3: return [.dispatch(.start("after")), .advance(.seconds(3)), .cancel("after")]
            default: return [start]
            }
        }
    }

    /// Tried at the same time: each has files open.
    private static let parts = 4

    @Test(arguments: 0..<parts) func `a kill at any moment changes nothing`(_ part: Int) async throws {
        for seed in stride(from: part, to: Self.count, by: Self.parts) {
            var random = SplitMix(seed: UInt64(seed))
            let script = Self.script(&random)
            var matrix = CrashMatrix(every, script: script) { $0 }
            // Effects that run at the same time can end in another order.
            matrix.normalize = { $0.lines = [] }
            matrix.cutsTwice = false
            do {
                let report = try await matrix.run()
                #expect(report.cuts > 0)
            } catch {
                Issue.record("seed \(seed), \(script): \(error)")
            }
        }
    }
}
