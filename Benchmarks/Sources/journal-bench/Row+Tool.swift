import Foundation
import JournalReplayKit
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
        tool("bisect") { last in [["bisect", "--where", "sum >= \(last * 250)"]] },
        tool("verify, the file alone", .plain) { _ in [["verify"]] },
        tool("verify, a replay alone") { _ in [["verify", "--replay-only"]] },
        tool("verify, the file and replays in two processes") { _ in [["verify"]] },
        tool("export") { _ in [["export"]] },
    ]

    /// - Parameters:
    ///   - mode: whether the tool knows the machine.
    ///   - lines: command lines for a journal that ends at a step; the file goes behind each.
    private static func tool(
        _ name: String, _ mode: ToolMode = .machine, _ lines: @escaping @Sendable (Int) -> [[String]]
    ) -> Row {
        Row(name: "tool: \(name)", entries: steps) { bench in
            let steps = bench.scaled(steps)
            let path = try await bench.longJournal(steps: steps)
            var peak = 0
            var times: [Double] = []
            for _ in 0..<bench.rounds {
                let runs = try lines(steps).map { try ToolRun(mode, $0 + [path]) }
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

/// How this program is the tool, by its first word.
enum ToolMode: String {
    /// With its machine.
    case machine = "tool-with-machine"
    /// As people have it who know no machine.
    case plain = "tool"

    /// Is the tool, and says on standard error how much memory that took at the most.
    static func runIfAsked(_ words: [String]) async {
        guard let mode = words.first.flatMap(ToolMode.init) else { return }
        let machines = mode == .machine ? [ReplayMachine(StoreLibrary.machine)] : []
        let tool = ReplayTool(program: "journal-bench \(mode.rawValue)", machines: machines)
        let status = await tool.run(Array(words.dropFirst()))
        FileHandle.standardError.write(Data("\(peakBytes)\n".utf8))
        exit(status)
    }

    /// Not what the process that started this one had: `getrusage` counts that as well.
    private static var peakBytes: Int {
        #if os(Linux)
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return (line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 1_024
        #else
            var usage = rusage()
            getrusage(RUSAGE_SELF, &usage)
            return usage.ru_maxrss
        #endif
    }
}

/// One run of the tool that this program carries; what it writes goes nowhere.
private struct ToolRun {
    let seconds: Double
    let peakBytes: Int

    init(_ mode: ToolMode, _ line: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: CommandLine.arguments[0])
        process.arguments = [mode.rawValue] + line
        process.standardOutput = FileHandle.nullDevice
        let said = Pipe()
        process.standardError = said
        let start = ContinuousClock.now
        try process.run()
        let text = String(decoding: said.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        seconds = (ContinuousClock.now - start) / .seconds(1)
        process.waitUntilExit()
        // The last line is its own; a process that it starts says its memory before.
        guard process.terminationStatus == 0, let peak = text.split(separator: "\n").last.flatMap({ Int($0) }) else {
            throw BenchError(message: "`\(line.joined(separator: " "))` failed: \(text)")
        }
        peakBytes = peak
    }
}
