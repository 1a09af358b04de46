import JournalStore

extension Command {
    /// `find FILE KEY`
    static let find = Command(
        name: "find",
        summary: "Find the step with a dispatch ID, or the effect with an idempotency key.",
        discussion: """
            A dispatch ID is the caller's name for a dispatch; each stream has its own. Its step is listed, and then \
            the effects that it led to. An idempotency key is what an effect passes to outside services; it is \
            derived from the journal, so the effects are searched one by one. A message to another machine is followed \
            by the step that received it: `show` has what that step led to.
            If nothing has the key, the exit code is \(ExitCode.failed.rawValue).
            """,
        positionals: [.file, key],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let text = arguments[key]
            var check = EntryCheck(reader)
            var listing = Listing(output, keys: keys, columns: columns)
            for (stream, step) in try reader.dispatches(withID: text, damaged: { check.unreadable.addRow($0) }) {
                var found = [try row(Kind.dispatch, step: step, of: stream, reader, &check)]
                // What a dispatch leads to comes after it.
                try reader.forEachRun(of: stream, from: step, damaged: { check.unreadable.addRow($0) }) { page in
                    for (stream, run) in page where run.rootStep == step {
                        found += try rows(Kind.dispatch, run, of: stream, reader, &check)
                    }
                    // A repeated timer leads to effects for ever.
                    guard found.count >= 500 else { return }
                    try listing.write(found)
                    found = []
                }
                try listing.write(found)
            }
            // Hexadecimal digits in either case; any other text is no idempotency key.
            let digits = text.lowercased()
            let isDigits = digits.utf8.count == 32 && digits.allSatisfy(\.isHexDigit)
            if isDigits {
                try reader.forEachEffect(of: nil, damaged: { check.unreadable.addRow($0) }) { page in
                    for found in page where found.idempotencyKey == digits {
                        try listing.write(rows(Kind.run, found.run, of: found.stream, reader, &check))
                    }
                }
            }
            // Listed all the same: what is sound of it can help.
            if let damage = check.damage ?? check.unreadable.error(reader.file) { throw damage }
            guard listing.isEmpty else { return .fine }
            let hint = isDigits ? try pruned(reader).map { " \($0)" } ?? "" : ""
            try output.note("No dispatch ID and no idempotency key is '\(text)'.\(hint)")
            return .failed
        })

    /// Whether an effect may have had the key whose entry was pruned. The dispatch IDs of pruned entries are kept.
    private static func pruned(_ reader: JournalReader) throws -> String? {
        let streams = try reader.streams().filter { $0.prunedStep > 0 }
        guard let first = streams.first else { return nil }
        let others =
            streams.count > 1
            ? " and those of \(Quantity.counted(streams.count - 1, "other stream", "other streams"))" : ""
        return
            "Entries were pruned, with the keys of their effects: those of the stream '\(first.name)' up to step "
            + "\(first.prunedStep)\(others)."
    }

    /// An effect; and if it is a message that has arrived, the step of its receiver.
    private static func rows(
        _ kind: String, _ run: EffectRun, of stream: String, _ reader: JournalReader, _ check: inout EntryCheck
    ) throws -> [Found] {
        let effect = Found(kind, stream, run)
        // The name of a message is the receiver's stream.
        guard run.kind == .message, let step = try reader.arrival(of: run.key, from: stream, in: run.name) else {
            return [effect]
        }
        return [effect, try row(Kind.arrival, step: step, of: run.name, reader, &check)]
    }

    private static func row(
        _ kind: String, step: Int, of stream: String, _ reader: JournalReader, _ check: inout EntryCheck
    ) throws -> Found {
        let entry = try reader.entries(in: stream, from: step, limit: 1).first { $0.step == step }
        let isPruned = try entry == nil && step <= reader.stream(stream).prunedStep
        if !isPruned { check.check(entry, at: step, of: stream) }
        let outcome = try entry.map { try check.outcome(of: $0) }
        return Found(
            kind: kind, stream: stream, step: step, name: entry.flatMap { EntryRow.name(of: $0.action) },
            status: outcome.map { $0.outcome?.rawValue ?? $0.description },
            reason: outcome.flatMap { $0.outcome == nil ? nil : $0.reason },
            isPruned: isPruned)
    }

    private static let key = Positional(
        name: "KEY", help: "A dispatch ID or an idempotency key.", completion: .nothing)

    private static let keys: [Key<Found>] = [
        Key("kind", "dispatch ID or idempotency key; or message, for the step that received the one before it") {
            .text($0.kind)
        },
        Key("stream", "the stream") { .text($0.stream) },
        Key("step", "the step, or the step of the effect") { .number($0.step) },
        Key("ordinal", "the effect's ordinal among those of the step; null for the step itself") {
            .number($0.run?.ordinal)
        },
        Key("name", "the name of the action, or of the effect; null if it has none, or if the entry was pruned") {
            .text($0.name)
        },
        Key(
            "status",
            "the outcome of the step, or 'unsettled'; or the status of the effect; null if the entry was pruned"
        ) { .text($0.status) },
        Key("reason", "why the step was rejected or skipped, if a reason was given") { .text($0.reason) },
    ]

    private static let columns: [Column<Found>] = [
        Column("KIND") { $0.kind }, Column("STREAM") { $0.stream }, .number("STEP") { $0.step },
        Column("EFFECT") { $0.run?.description ?? "" }, Column("NAME") { $0.name ?? "" },
        Column("STATUS") { found in
            [found.status ?? (found.isPruned ? "pruned" : ""), found.reason].compactMap(\.self).joined(separator: ": ")
        },
    ]
}

/// Checks entries that are listed, and keeps the first error.
private struct EntryCheck {
    private let reader: JournalReader
    private(set) var damage: JournalError?
    /// The rows that are left out.
    var unreadable = Unreadable()

    init(_ reader: JournalReader) { self.reader = reader }

    mutating func check(_ entry: Entry?, at step: Int, of stream: String) {
        do throws(JournalError) {
            guard let entry else { throw .missingEntry(reader.file, stream: stream, step: step) }
            // Each on its own: between two of them are others.
            var chains = EntryChains(reader)
            try chains.check(entry)
        } catch {
            damage = damage ?? error
        }
    }

    mutating func outcome(of entry: Entry) throws(JournalError) -> StepOutcome {
        var unreadable = Unreadable()
        let outcome = try reader.outcomes(of: [entry], &unreadable).first ?? nil
        damage = damage ?? unreadable.error(reader.file)
        return outcome ?? .unreadable
    }
}

private enum Kind {
    static let dispatch = "dispatch ID"
    static let run = "idempotency key"
    static let arrival = "message"
}

/// What has a key.
private struct Found {
    var kind: String
    var stream: String
    var step: Int
    var run: RunKey?
    var name: String?
    var status: String?
    var reason: String?
    /// Whether the entry is gone, with the name and the outcome.
    var isPruned = false
}

extension Found {
    init(_ kind: String, _ stream: String, _ run: EffectRun) {
        self.init(
            kind: kind, stream: stream, step: run.step, run: run.key, name: run.name, status: run.status.rawValue)
    }
}
