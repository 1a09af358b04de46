import JournalStore

/// How an entry is shown.
struct EntryRow {
    let entry: Entry
    let outcome: StepOutcome
    /// The action on one line; nil if it is not JSON.
    let json: String?
    /// Whether the entry is not as it was written.
    var isDamaged = false

    init(_ entry: Entry, _ outcome: StepOutcome) {
        (self.entry, self.outcome) = (entry, outcome)
        json = StoredJSON.compact(entry.action)
    }

    /// The name of an action; nil if it has none or is not JSON.
    static func name(of action: String) -> String? {
        StoredJSON.compact(action) == nil ? nil : ActionName.of(action)
    }

    static let keys: [Key<EntryRow>] = [
        Key("position", "its place in the order over all streams") { .number($0.entry.position) },
        Key("stream", "its stream") { .text($0.entry.stream) },
        Key("step", "its number in the stream") { .number($0.entry.step) },
        Key("time", "when it was committed") { .text($0.entry.time.description) },
        Key("origin", "dispatched, effect, restart or machine") { .text($0.entry.origin.description) },
        Key("causeStream", "the stream of the step that caused it, if it is another stream") {
            .text($0.entry.causeStream)
        },
        Key("causeStep", "the step that caused it") { .number($0.entry.causeStep) },
        Key("causeOrdinal", "the ordinal, in that step, of the effect that sent it") { .number($0.entry.causeOrdinal) },
        Key("version", "the version of the machine that wrote it") { .number($0.entry.version) },
        Key("name", "the name of the action; null if it has none") {
            .text($0.json == nil ? nil : ActionName.of($0.entry.action))
        },
        Key("action", "the action; null if it is not JSON") { $0.json.map { .raw($0) } ?? .null },
        Key("text", "the stored text, if it is not JSON") { $0.json == nil ? .text($0.entry.action) : .null },
        Key("outcome", "reduced, rejected, skipped or cancelled; null if it is not recorded yet or cannot be read") {
            .text($0.outcome.outcome?.rawValue)
        },
        Key("reason", "why it was rejected or skipped, if a reason was given; 'cannot be read' for a damaged outcome") {
            .text($0.outcome.reason)
        },
        Key("digest", "its digest, which includes the digest before it") { .text($0.entry.digest.description) },
    ]

    /// The keys of a list, which goes on after a damaged entry.
    static let listed: [Key<EntryRow>] =
        keys + [Key("damaged", "whether the entry was damaged or changed by hand") { .bool($0.isDamaged) }]

    /// - Parameter cutsLong: whether only the beginning of a long action is shown: a terminal would scroll for pages.
    static func columns(withStream: Bool, cutsLong: Bool) -> [Column<EntryRow>] {
        [.number("STEP") { $0.entry.step }, Column("TIME") { $0.entry.time.description }]
            + (withStream ? [Column("STREAM") { $0.entry.stream }] : [])
            + [
                Column("ORIGIN") { $0.entry.originWithCause },
                Column("OUTCOME") { $0.outcome.outcome == .reduced ? "" : $0.outcome.description }.red {
                    $0.outcome.isProblem
                },
                Column("ACTION") { row in
                    let action = row.json ?? row.entry.action
                    return cutsLong ? ShortAction.beginning(of: action) : action
                },
            ]
    }
}

extension Entry {
    /// `dispatched`, `effect 17.0`, `machine cart-1 17`
    var originWithCause: String {
        guard let step = causeStep else { return origin.description }
        let cause = causeOrdinal.map { RunKey(step: step, ordinal: $0).description } ?? "\(step)"
        return [origin.description, causeStream, cause].compactMap(\.self).joined(separator: " ")
    }
}

extension StepOutcome {
    /// What is shown of an outcome that is damaged.
    static let unreadable = StepOutcome(reason: "cannot be read")

    /// `reduced`, `rejected: not open`, `unsettled`.
    var description: String {
        guard let outcome else { return reason ?? "unsettled" }
        guard outcome != .reduced else { return "reduced" }
        return outcome.rawValue + (reason.map { ": \($0)" } ?? "")
    }

    /// Whether the step had no effect on the state.
    var isProblem: Bool { outcome == .rejected || outcome == .skipped }
}
