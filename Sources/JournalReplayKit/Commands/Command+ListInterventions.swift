import JournalStore

extension Command {
    /// `interventions FILE [STREAM]`
    static let interventions = Command(
        name: "interventions",
        summary: "List what operators did: cancel, retry and release effects, skip steps.",
        discussion: """
            The acts of all streams are listed in their order, those of this tool and those of the app. USER is the \
            operator's user name on the computer, or what the app has passed as `user`.
            """,
        positionals: [.file, .stream],
        options: [.stream, act, since, until],
        keys: keys.map(\.row),
        work: .reading { arguments, reader, output in
            let stream = try arguments.namedStream()
            let acts = Set(arguments.all(act))
            let (since, until) = try arguments.times(since, until)
            var listing = Listing(output, keys: keys, columns: columns(withStream: stream == nil))
            var unreadable = Unreadable()
            try reader.forEachIntervention(of: stream, damaged: { unreadable.addRow($0) }) { page in
                try listing.write(
                    page.filter { listed in
                        let time = listed.intervention.time
                        return (acts.isEmpty || acts.contains(listed.intervention.act))
                            && since.map { time >= $0 } ?? true && until.map { time <= $0 } ?? true
                    })
            }
            if let error = unreadable.error(reader.file) { throw error }
            if listing.isEmpty {
                let isFiltered = stream != nil || !acts.isEmpty || since != nil || until != nil
                try output.note(isFiltered ? "No intervention matches." : "There are no interventions.")
            }
            return .fine
        })

    private static let act = Option<Intervention.Act>.word(
        "act", "ACT", help: "Only acts of this kind.", Intervention.Act.allCases.map { ($0.rawValue, $0) }
    ).asList

    private static let since = Option<Timestamp>.time("since", help: "Only acts at this time or later.")
    private static let until = Option<Timestamp>.time("until", help: "Only acts at this time or earlier.")

    private static let keys: [Key<ListedIntervention>] = [
        Key("time", "when it was done") { .text($0.intervention.time.description) },
        Key("stream", "the stream") { .text($0.stream) },
        Key("act", "cancel, retry, release or skip") { .text($0.intervention.act.rawValue) },
        Key("step", "the step, or the step of the effect") { .number($0.intervention.step) },
        Key("ordinal", "the effect's ordinal among those of the step; null for a step") {
            .number($0.intervention.ordinal)
        },
        Key("name", "the name of the effect, or of the action") { .text($0.name) },
        Key("before", "the effect's previous status") { .text($0.intervention.before?.rawValue) },
        Key("user", "the operator's user name, or what the app has passed; null if it has passed none") {
            .text($0.intervention.user)
        },
        Key("reason", "the operator's reason") { .text($0.intervention.reason) },
    ]

    private static func columns(withStream: Bool) -> [Column<ListedIntervention>] {
        [Column("TIME") { $0.intervention.time.description }] + (withStream ? [Column("STREAM") { $0.stream }] : [])
            + [
                Column("ACT") { $0.intervention.act.rawValue }, Column("OF") { $0.object },
                Column("NAME") { $0.name ?? "" }, Column("BEFORE") { $0.intervention.before?.rawValue ?? "" },
                Column("USER") { $0.intervention.user ?? "" },
                Column("REASON") { $0.intervention.reason ?? "" },
            ]
    }
}

extension ListedIntervention {
    /// The name of the effect, or of the action of the step.
    var name: String? { effect ?? action.flatMap(EntryRow.name) }

    /// `effect 17.0`, `step 17`
    var object: String {
        intervention.ordinal.map { "effect \(RunKey(step: intervention.step, ordinal: $0))" }
            ?? "step \(intervention.step)"
    }
}
