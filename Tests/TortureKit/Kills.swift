import Foundation
import JournalStore

/// Repeatedly kills a writing process at random moments, and checks that no acknowledged entry is missing.
package struct Kills: Sendable {
    package var rounds: Int
    package var seed: UInt64
    package var program: String

    package struct Result: Sendable {
        package var rounds = 0
        package var acknowledged = 0
        package var lost = 0
        package var problems: [String] = []
    }

    package init(rounds: Int, seed: UInt64, program: String = Child.program("journal-torture")) {
        self.rounds = rounds
        self.seed = seed
        self.program = program
    }

    package func run(progress: (Result) -> Void = { _ in }) throws -> Result {
        var random = SplitMix(seed: seed)
        var result = Result()
        var folder = try TemporaryFolder()
        var acknowledged: [Acknowledgement] = []
        for round in 1...rounds {
            // Ten rounds on one file, so that recoveries find what earlier recoveries left.
            if round % 10 == 1 {
                folder = try TemporaryFolder()
                acknowledged = []
            }
            let before = acknowledged.count
            let path = folder.path("journal.db")
            let durability = round % 20 <= 10 ? Durability.full : .normal
            let child = try Child(program, ["append", path, durability.rawValue])
            // Half of the kills come after a random number of acknowledged entries; the other half at any moment from
            // the very start, including the opening and its recovery.
            if Bool.random(using: &random) {
                for _ in 0..<Int.random(in: 1...300, using: &random) {
                    guard let line = child.line() else { break }
                    acknowledged += Acknowledgement(line: line).map { [$0] } ?? []
                }
            } else {
                usleep(UInt32.random(in: 0...40_000, using: &random))
            }
            child.kill()
            acknowledged += child.remainingLines().compactMap { Acknowledgement(line: $0) }
            let ending = child.wait()
            if ending != -SIGKILL { result.problems.append("round \(round): the writer ended by itself: \(ending)") }
            result.rounds = round
            result.acknowledged += acknowledged.count - before
            guard FileManager.default.fileExists(atPath: path) || !acknowledged.isEmpty else { continue }
            try check(path, acknowledged, round, &result)
            if !result.problems.isEmpty { return result }
            progress(result)
        }
        return result
    }

    /// Opens the journal as the next writer, then reads it.
    private func check(_ path: String, _ acknowledged: [Acknowledgement], _ round: Int, _ result: inout Result) throws {
        do {
            // The next writer must be able to open at once: the kernel released the lock of the killed process.
            _ = try Journal(path: path)
            let audit = try Audit(path: path, acknowledged: acknowledged)
            result.lost += audit.lost
            result.problems += audit.problems.map { "round \(round): \($0)" }
            if audit.lost > 0 { result.problems.append("round \(round): \(audit.lost) acknowledged entries are lost") }
        } catch {
            result.problems.append("round \(round): \(error)")
        }
    }
}
