/// One line of the table, or a few lines that are measured together.
struct Row: Sendable {
    let name: String
    /// How many entries it handles in each round; a tenth in a quick run.
    let entries: Int
    /// The target of each of its findings; nil if they are only reported.
    let target: Target?
    let measure: @Sendable (Bench) async throws -> [Finding]

    init(
        name: String, entries: Int, target: Target? = nil,
        measuringAll measure: @escaping @Sendable (Bench) async throws -> [Finding]
    ) {
        self.name = name
        self.entries = entries
        self.target = target
        self.measure = measure
    }

    init(
        name: String, entries: Int, target: Target? = nil,
        measure: @escaping @Sendable (Bench) async throws -> Finding
    ) {
        self.init(name: name, entries: entries, target: target, measuringAll: { [try await measure($0)] })
    }

    /// In parts: Swift 6.2 gives up the type check of one sum.
    static let all: [Row] = {
        let stores: [Row] = appends + dispatches + effects + [table, whenOn] + company + stateSizes + [latency]
        let many: [Row] = [streams(1_000, entries: 20_000), plainStreams(1_000, entries: 20_000)]
        let reads: [Row] = [reading, size, verifying] + replays(of: 100_000)
        let openings: [Row] = [
            opening, openingWithSnapshot(at: 100_000, than: 10_000), opening(runningEffects: 500),
        ]
        let hosts: [Row] = [closedStream(), closedStream(load: 4), hotStream]
        return stores + after(100_000) + many + reads + openings + snapshots(bytes: 1_000_000) + hosts
    }()

    /// The rows that take minutes.
    static let long =
        after(1_000_000) + [streams(10_000, entries: 100_000), plainStreams(10_000, entries: 100_000)]
        + replays(of: 1_000_000) + [
            openingWithSnapshot(at: 1_000_000, than: 10_000), opening(runningEffects: 10_000),
        ] + tool + history + [opening(oneOf: 100_000, than: 10)] + host(streams: 100_000)
        + memory
}
