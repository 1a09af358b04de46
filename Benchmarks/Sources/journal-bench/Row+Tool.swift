import Foundation
import JournalStore

/// The tool on a large journal: how long it takes, and how much memory at the most. Each run is a process of its own.
extension Row {
    private static let steps = 1_000_000

    static let tool: [Row] = [
        tool("log") { _ in [["log"]] },
        tool("log, the last 20") { _ in [["log", "-n", "20"]] },
        tool("state at ten random steps, each") { last in
            // The same in each round.
            (1...10).map { ["state", "--at", "\($0 * 7_919 * 104_729 % last)"] }
        },
        tool("bisect") { _ in [["bisect", "--where", "sum >= 250000000"]] },
        tool("verify, of the file") { _ in [["verify", "--stream", "stream"]] },
        tool("verify, by replay") { _ in [["verify", "--replay-only"]] },
        tool("export") { _ in [["export"]] },
    ]

    /// - Parameter lines: command lines for a journal that ends at a step; the file goes behind each.
    private static func tool(_ name: String, _ lines: @escaping @Sendable (Int) -> [[String]]) -> Row {
        Row(name: "tool: \(name)", entries: steps) { bench in
            let steps = bench.scaled(steps)
            let path = try await bench.longJournal(steps: steps)
            var peak = 0
            var times: [Double] = []
            for _ in 0..<bench.rounds {
                let runs = try lines(steps).map { try ToolRun($0 + [path]) }
                times.append(runs.map(\.seconds).reduce(0, +) / Double(runs.count))
                peak = max(peak, runs.map(\.peakBytes).max() ?? 0)
            }
            return .process(Spread(times), peakBytes: peak)
        }
    }
}

extension Bench {
    /// A journal of one stream, closed. It is made once, and goes with the folder.
    fileprivate func longJournal(steps: Int) async throws -> String {
        let path = folder.path + "/long-\(steps).db"
        guard !FileManager.default.fileExists(atPath: path) else { return path }
        let library = try await StoreLibrary(path, durability: .normal)
        try await library.dispatch(steps: steps, waitingEvery: nil)
        try await library.close()
        return path
    }
}

/// One run of the tool that this program carries; what it writes goes nowhere.
private struct ToolRun {
    let seconds: Double
    let peakBytes: Int

    init(_ line: [String]) throws {
        let program = CommandLine.arguments[0]
        var words = ([program, "tool"] + line).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0)
        var process: pid_t = 0
        let start = ContinuousClock.now
        guard posix_spawn(&process, program, &actions, nil, &words, environ) == 0 else {
            throw BenchError(message: "\(program) cannot be started.")
        }
        var status: Int32 = 0
        var usage = rusage()
        guard wait4(process, &status, 0, &usage) == process, status == 0 else {
            throw BenchError(message: "`\(line.joined(separator: " "))` ended with \(status >> 8).")
        }
        seconds = (ContinuousClock.now - start) / .seconds(1)
        // Linux counts in kilobytes: https://man7.org/linux/man-pages/man2/getrusage.2.html
        peakBytes = usage.ru_maxrss * 1_024
    }
}
