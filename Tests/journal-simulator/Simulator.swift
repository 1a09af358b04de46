import CSimulator
import Foundation
import TortureKit

/// Runs lives of journals, each determined by a seed.
@main
struct Simulator {
    static func main() throws {
        // The order of dictionaries must be the same in each process.
        if getenv("SWIFT_DETERMINISTIC_HASHING") == nil {
            setenv("SWIFT_DETERMINISTIC_HASHING", "1", 1)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        }
        Jobs.takeAll()
        guard simulator_take_sqlite() else { fatalError("SQLite has no VFS") }
        let first = UInt64(CommandLine.arguments[1]) ?? 1, count = UInt64(CommandLine.arguments[2]) ?? 1
        let folder = try TemporaryFolder()
        var counts: [String: Int] = [:]
        for seed in first..<first + count {
            let life = try live(Choices(seed: seed), seed, folder.path("\(seed)"), keepsLines: count == 1)
            counts.merge(life.counts, uniquingKeysWith: +)
            if count == 1 { for line in life.lines { print(line) }; print(life.trace) }
            for finding in life.findings { print("seed \(seed): \(finding)") }
        }
        for (name, count) in counts.sorted(by: { $0.key < $1.key }) { print(name, count) }
    }

    static func live(_ choices: Choices, _ seed: UInt64, _ root: String, keepsLines: Bool) throws -> Life {
        let life = Life(choices, root: root, keepsLines: keepsLines)
        simulator_begin(seed, 1_767_225_600_000_000)
        defer { simulator_end() }
        try life.run()
        try? FileManager.default.removeItem(atPath: root)
        return life
    }
}
