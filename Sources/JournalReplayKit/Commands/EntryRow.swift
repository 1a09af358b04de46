import JournalStore

/// How an entry is shown.
struct EntryRow {
    let entry: Entry
    /// The action on one line; nil if it is not JSON.
    let json: String?

    init(_ entry: Entry) {
        self.entry = entry
        json = StoredJSON.compact(entry.action)
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
        Key("causeRun", "the ordinal, in that step, of the effect that sent it") { .number($0.entry.causeRun) },
        Key("version", "the version of the machine that wrote it") { .number($0.entry.version) },
        Key("type", "the name of the action") { .text(ActionName.of($0.entry.action)) },
        Key("action", "the action; null if it is not JSON") { $0.json.map { .raw($0) } ?? .null },
        Key("text", "the stored text, if it is not JSON") { $0.json == nil ? .text($0.entry.action) : .null },
        Key("digest", "its digest, which includes the digest before it") { .text($0.entry.digest.description) },
    ]

    static func columns(withStream: Bool) -> [Column<EntryRow>] {
        [.number("STEP") { $0.entry.step }, Column("TIME") { $0.entry.time.description }]
            + (withStream ? [Column("STREAM") { $0.entry.stream }] : [])
            + [Column("ORIGIN") { $0.origin }, Column("ACTION") { $0.json ?? $0.entry.action }]
    }

    /// `dispatched`, `effect 17.0`, `machine cart-1 17`
    var origin: String {
        guard let step = entry.causeStep else { return entry.origin.description }
        let cause = entry.causeRun.map { "\(step).\($0)" } ?? "\(step)"
        return [entry.origin.description, entry.causeStream, cause].compactMap(\.self).joined(separator: " ")
    }
}
