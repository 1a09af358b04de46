/// The tool on a large journal: the time and the peak memory of a command. Each run is a process of its own.
extension Row {
    private static let steps = 1_000_000

    static let tool: [Row] = [
        tool("log") { _ in [["log"]] },
        tool("log, the last 20") { _ in [["log", "-n", "20"]] },
        tool("state at ten random steps, each") { last in
            // The same steps in each round.
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
    ///   - lines: command lines for a journal that ends at a step; the file is appended to each.
    private static func tool(
        _ name: String, _ mode: ChildMode = .machine, _ lines: @escaping @Sendable (Int) -> [[String]]
    ) -> Row {
        Row(name: "tool: \(name)", entries: steps) { bench in
            let steps = bench.scaled(steps)
            let path = try await bench.journal(steps: steps)
            var peak = 0
            var times: [Double] = []
            for _ in 0..<bench.rounds {
                let runs = try lines(steps).map { try ChildRun(mode, $0 + [path]) }
                times.append(runs.map(\.seconds).reduce(0, +) / Double(runs.count))
                peak = max(peak, runs.map(\.peakBytes).max() ?? 0)
            }
            return Finding(.time, times, peakBytes: peak)
        }
    }
}
