import JournalStore

extension Command {
    /// `show FILE STEP`
    static let show = Command(
        name: "show",
        summary: "Show one step: its action, origin, outcome, effects, and what it caused.",
        discussion: "With the machine it also shows what the step changed in the state.",
        positionals: [.file, .theStream, step],
        options: [.stream, Machines.option],
        keys: Keys.all.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            let stream = try arguments.theStream(reader)
            let number = try arguments.entry(step, stream, reader)
            var page = try StepPage(number, of: stream, reader)
            if !output.isJSON {
                // Before the reducer runs, because it may crash on this step.
                try page.writeRecorded(to: output)
                try output.flush()
            }
            try page.replay(reader, machines)
            if var problem = page.problem {
                problem.message = output.tool.inCommands(of: problem.message)
                problem.advice = output.tool.inCommands(of: problem.advice)
                page.problem = problem
            }
            if let note = page.olderCode { output.warning(note) }
            if output.isJSON {
                try output.object(page, Keys.all)
            } else {
                try page.writeReplayed(to: output)
            }
            if let damage = page.unreadable.error(reader.file) { throw damage }
            if let problem = page.problem { return ExitCode(problem) }
            var chains = EntryChains(reader)
            try chains.check(page.entry.entry)
            return .fine
        })

    private static let step = Positional.step(help: "The step, or 'last'.", lowest: 1)

    private enum Keys {
        static let all: [Key<StepPage>] =
            EntryRow.keys.map { key in Key(key.name, key.meaning) { key.value($0.entry) } } + [
                Key("dispatchID", "the caller's name for the dispatch, if one was given") { .text($0.dispatchID) },
                Key("cascade", "the actions that it added") { StoredJSON.orText($0.record?.cascade) },
                Key("effects", "the effects that it returned") { StoredJSON.orText($0.record?.effects) },
                Key("runs", "the first thousand recorded effects: objects as the command 'effects' writes them") {
                    .list($0.runs.map { .object($0, RunRow.keys) })
                },
                Key("runsMore", "whether it has more than those") { .bool($0.hasMoreRuns) },
                Key("caused", "the first hundred entries that it caused: objects with stream, step, effect") {
                    .list($0.caused.map(caused))
                },
                Key("causedMore", "whether it caused more than those") { .bool($0.hasMoreCaused) },
                Key("interventions", "what operators did: objects with time, act, effect, before, user, reason") {
                    .list($0.interventions.map(\.json))
                },
                Key("replayedOutcome", "the outcome that the machine gives the step now; null if that is not known") {
                    .text($0.replayedOutcome)
                },
                Key("changes", "what it changed in the state: objects with path, old, new; null if that is not known") {
                    $0.view.map { .changes($0.changes) } ?? .null
                },
                Key("error", "why the machine cannot tell the changes; null if it can") {
                    .text($0.problem?.description)
                },
            ]

        private static func caused(_ entry: Entry) -> JSON {
            .object([
                .init(key: "stream", value: .text(entry.stream)), .init(key: "step", value: .number(entry.step)),
                .init(key: "effect", value: .number(entry.causeOrdinal)),
            ])
        }
    }
}
