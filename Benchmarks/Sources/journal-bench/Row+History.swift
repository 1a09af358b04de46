import JournalStore

/// The rows that show whether looking into a journal takes longer if its history is ten times as long. Both sides are
/// the tool, as a process of its own; the floor has the short history.
extension Row {
    private static let many = 10_000_000
    private static let few = 1_000_000

    static let history: [Row] = [
        openingWithSnapshot(at: many, than: few),
        tool("log, the last 20", .atMost(1.3), turns: 10) { _ in ["log", "-n", "20"] },
        tool("state at a random step", .atMost(1.3), turns: 10) { last in
            ["state", "--at", "\(Int.random(in: 1...last))"]
        },
        tool("verify, for each step", .atMost(1.1), isWhole: true) { _ in ["verify"] },
    ]

    /// - Parameters:
    ///   - isWhole: whether the command reads everything, and its time is divided by the number of steps.
    ///   - line: a command line for a journal that ends at a step; the file is appended to it.
    private static func tool(
        _ name: String, _ target: Target, turns: Int = 1, isWhole: Bool = false,
        _ line: @escaping @Sendable (Int) -> [String]
    ) -> Row {
        Row(
            name: "tool: \(name), \(NumberText.short(many)) steps against \(NumberText.short(few))", entries: many,
            target: target
        ) { bench in
            let steps = (few: bench.scaled(few), many: bench.scaled(many))
            let paths = (
                few: try await bench.journal(steps: steps.few), many: try await bench.journal(steps: steps.many)
            )
            func run(_ steps: Int, _ path: String) throws -> Duration {
                let time = try ChildRun(.machine, line(steps) + [path]).duration
                return isWhole ? time / steps : time
            }
            return try await bench.compare(.time, entries: 1, turns: turns) {
                try run(steps.few, paths.few)
            } library: {
                try run(steps.many, paths.many)
            }
        }
    }
}
