/// The rows that replay a long history.
extension Row {
    static func replays(of steps: Int) -> [Row] {
        [
            replaying(steps, than: .decode, "decoding", .atLeast(0.80)),
            replaying(steps, than: .decodeByFoundation, "Foundation's decoder", nil), replayMemory(steps),
        ]
    }

    /// A replay from the beginning; each side in a process of its own, so that neither finds what the other left in
    /// memory. The floor only decodes the same actions, with the same codec or with Foundation's decoder.
    private static func replaying(_ steps: Int, than floor: ChildMode, _ name: String, _ target: Target?) -> Row {
        Row(
            name: "replay of \(NumberText.short(steps)) steps, without snapshots, against \(name)", entries: steps,
            target: target
        ) { bench in
            let steps = bench.scaled(steps)
            let path = try await bench.journal(steps: steps, hasSnapshots: false)
            return try await bench.compare(entries: steps) {
                try ChildRun(floor, ["\(steps)"]).duration
            } library: {
                try ChildRun(.replay, [path, "\(steps)"]).duration
            }
        }
    }

    /// Measured once, because it hardly differs from run to run.
    private static func replayMemory(_ steps: Int) -> Row {
        Row(
            name: "peak memory replaying \(NumberText.short(steps)) steps", entries: steps,
            target: .atMost(64 * 1_048_576)
        ) { bench in
            let steps = bench.scaled(steps)
            let path = try await bench.journal(steps: steps, hasSnapshots: false)
            return Finding(.memory, [Double(try ChildRun(.replay, [path, "\(steps)"]).peakBytes)])
        }
    }
}
