/// What each further store, stream and effect takes in memory: the difference of the peaks of two processes.
extension Row {
    static let memory: [Row] = [
        held("open store", .openStores, few: 1_000, many: 5_000),
        // With fewer streams the page cache of SQLite still grows, which has a limit.
        held("stream that a host has open", .hostedStores, few: 10_000, many: 40_000, target: .atMost(2_048)),
        held("stream that was opened and closed", .closedStores, few: 1_000, many: 5_000),
        held("live effect", .liveEffects, few: 2_000, many: 20_000),
    ]

    private static func held(_ name: String, _ kind: Held, few: Int, many: Int, target: Target? = nil) -> Row {
        Row(name: "memory of each \(name)", entries: many, target: target) { bench in
            let (few, many) = (bench.scaled(few), bench.scaled(many))
            func peak(_ count: Int) throws -> Int {
                try ChildRun(.hold, [kind.rawValue, String(count)]).peakBytes
            }
            var values: [Double] = []
            for _ in 0..<bench.rounds { values.append(Double(try peak(many) - peak(few)) / Double(many - few)) }
            return Finding(.bytes, values)
        }
    }
}
