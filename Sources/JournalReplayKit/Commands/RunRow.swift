import JournalStore

/// How an effect is shown.
enum RunRow {
    static let keys: [Key<ListedRun>] = [
        Key("stream", "its stream") { .text($0.stream) },
        Key("step", "the step that returned it") { .number($0.run.step) },
        Key("ordinal", "its ordinal among the effects of that step") { .number($0.run.ordinal) },
        Key("rootStep", "the dispatched step at the start of its chain of causes") { .number($0.run.rootStep) },
        Key("name", "its name") { .text($0.run.name) },
        Key("kind", "effect; timer, which sends an action at a time; or message, which sends one to another machine") {
            .text($0.run.kind.rawValue)
        },
        Key("id", "its ID, if it has one") { StoredJSON.orText($0.run.effectIDText) },
        Key("idempotencyKey", "what it passes to outside services; null if its entry was pruned") {
            .text($0.idempotencyKey)
        },
        Key("dispatchID", "the dispatch ID of rootStep, if the caller gave one") { .text($0.dispatchID) },
        Key("queue", "its queue, if it has one") { StoredJSON.orText($0.run.queueText) },
        Key("status", "its status") { .text($0.run.status.rawValue) },
        Key("attempts", "how often its body was started") { .number($0.run.attempts) },
        Key("failures", "how many of its attempts have failed") { .number($0.run.failures) },
        Key("restart", "its restart policy") { .text($0.run.restart.rawValue) },
        Key("retry", "its retry policy") { StoredJSON.orText($0.run.retryText) },
        Key("committed", "when its step was committed; null if its entry was pruned") {
            .text($0.committed?.description)
        },
        Key("notBefore", "the earliest time at which it may start") { .text($0.run.notBefore?.description) },
        Key("started", "when its body was first started") { .text($0.run.started?.description) },
        Key("ended", "when it ended") { .text($0.run.ended?.description) },
        Key("lastError", "the last error it threw; null if it completed in the end") { .text($0.run.lastError) },
        Key("delivered", "how many of its actions were committed as entries") { .number($0.run.delivered) },
        Key("described", "the value of a described effect; null for a closure") { StoredJSON.orText($0.run.described) },
        Key("sends", "the action that a timer or a message sends") { StoredJSON.orText($0.run.sends) },
    ]

    static func columns(withStream: Bool) -> [Column<ListedRun>] {
        (withStream ? [Column("STREAM") { $0.stream }] : [])
            + [
                Column("EFFECT") { $0.run.key.description },
                Column("KIND") { $0.run.kind.rawValue },
                Column("NAME") { $0.run.name },
                Column("ID") { $0.run.effectIDText ?? "" },
                Column("STATUS") { $0.run.status.rawValue }.red { $0.run.status.isProblem },
                .number("ATTEMPTS") { $0.run.attempts },
                Column("DISPATCH ID") { $0.dispatchID ?? "" },
                Column("IDEMPOTENCY KEY") { $0.idempotencyKey ?? "" },
                Column("WHEN") { $0.moment },
                Column("LAST ERROR") { $0.run.lastError ?? "" }.red { _ in true },
            ]
    }
}

extension EffectRun {
    /// The error of an earlier attempt is not the result of an effect that has completed.
    var lastError: String? { status == .completed ? nil : error }
}

extension ListedRun {
    /// When the effect ended, is due, or started to run. The record does not say since when an effect waits or is set
    /// aside, nor when a later attempt started: then this is when it was first started, or when its step was committed.
    fileprivate var moment: String {
        if let ended = run.ended { return "ended \(ended)" }
        switch run.status {
        case .delayed:
            // One that is to be tried again can be held up by its queue.
            if let due = run.notBefore {
                return run.failures > 0 && due < .now() ? Self.age("due since", due) : "until \(due)"
            }
        case .waiting: if let due = run.notBefore { return "not before \(due)" }
        default: break
        }
        guard let started = run.started else { return committed.map { Self.age("committed", $0) } ?? "" }
        return Self.age(run.status == .running && run.attempts == 1 ? "since" : "first started", started)
    }

    private static func age(_ word: String, _ time: Timestamp) -> String {
        "\(word) \(time) (\(Quantity.age(since: time)))"
    }
}
