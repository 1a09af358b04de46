/// One line of the table.
struct Row: Sendable {
    let name: String
    /// What it handles in each round; a tenth in a quick run.
    let entries: Int
    let measure: @Sendable (Bench) async throws -> Finding

    static let all =
        commits + [atOnce] + dispatches + [
            dispatchingAtOnce, effects, reading, verifying, opening, opening(runningEffects: 1_000), size,
        ]

    /// Those that take minutes.
    static let long = [opening(runningEffects: 10_000)] + tool
}
