import JournalStore

extension Intervention {
    var json: JSON {
        .object([
            .init(key: "time", value: .text(time.description)), .init(key: "act", value: .text(act.rawValue)),
            .init(key: "effect", value: .text(ordinal.map { "\(RunKey(step: step, ordinal: $0))" })),
            .init(key: "before", value: .text(before?.rawValue)), .init(key: "user", value: .text(user)),
            .init(key: "reason", value: .text(reason)),
        ])
    }

    /// What is listed of the interventions on one effect.
    static let columns: [Column<Intervention>] = [
        Column("TIME") { $0.time.description }, Column("ACT") { $0.act.rawValue },
        Column("BEFORE") { $0.before?.rawValue ?? "" }, Column("USER") { $0.user ?? "" },
        Column("REASON") { $0.reason ?? "" },
    ]
}
