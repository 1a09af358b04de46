import JournalStore

extension Command {
    /// `page FILE -o OUT`
    static let page = Command(
        name: "page",
        summary: "Write a page to look at a journal in a browser, as one file.",
        discussion: """
            The page needs no network and no server: open it from the disk, or attach it to a bug report. It shows the \
            steps and effects of all streams on a time line, and each step with its action, causes and consequences. \
            With the machine it also shows the states.
            It holds the newest \(Quantity.grouped(PageOptions.mostSteps)) steps, and the states of the newest \
            \(Quantity.grouped(PageOptions.usualStates)); --last and --states change this.
            --redact leaves out the values that a path names, at any depth: card, payment.card, items.*.price; '*' \
            leaves out all. It also leaves out errors and reasons, because they can quote any value.
            If entries of the page are not what was written, or the newest ones of a stream are missing, a warning \
            says so, and the exit code is \(ExitCode.damaged.rawValue).
            """,
        positionals: [.file, .stream],
        options: [out, .streams, PageOptions.newest, states, Redaction.option, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            guard let path = arguments[out] else { throw UsageError("'--out' is missing: name the file to create.") }
            let target = try Arguments.newFile(path)
            let options = PageOptions(
                streams: Set(arguments.namedStreams.map { ByteName($0) }),
                last: arguments[PageOptions.newest] ?? PageOptions.mostSteps,
                states: arguments[states] ?? .newest(PageOptions.usualStates),
                redaction: Redaction(arguments.all(Redaction.option)),
                tool: output.tool)
            let report = try PageExport(reader: reader, machines: machines, options: options).write(to: target)
            for (stream, note) in report.problems { output.warning("stream '\(stream)': \(note)") }
            for path in options.redaction.unmatched {
                output.warning("No value in the page has the path of '--redact \(path)'.")
            }
            let status = report.isDamaged ? ExitCode.damaged : .fine
            if output.isJSON {
                try output.object(report, keys)
                return status
            }
            let held = [
                Quantity.counted(report.streams, "stream", "streams"), Quantity.counted(report.steps, "step", "steps"),
                Quantity.counted(report.effects, "effect", "effects"),
                Quantity.counted(report.states, "state", "states"), Quantity.bytes(report.bytes),
            ]
            try output.line("Wrote \(SafeText.escape(report.target)): \(held.joined(separator: ", ")).")
            if report.omitted > 0 {
                try output.note("It leaves out \(Quantity.counted(report.omitted, "older step", "older steps")).")
            }
            if report.steps > 0, options.states != .none, !machines.isAsked {
                try output.note(
                    "States need the machine: load a library that has it, with --machine lib….so, or use the tool inside "
                        + "the app.")
            }
            return status
        })

    private static let out = Option<String>(
        "out", short: "o", "OUT", help: Positional.out.help, completion: .files, expected: "a path"
    ) { $0 }.asRequired

    private static let states = Option<PageOptions.States>(
        "states", "N", help: "Of how many of the newest steps the page has states: a number, 'all' or 'none'.",
        expected: "a number of 1 or more, 'all' or 'none'"
    ) { text in
        switch text {
        case "all": .all
        case "none": PageOptions.States.none
        default: Int(digits: text).flatMap { $0 > 0 ? .newest($0) : nil }
        }
    }

    private static let keys: [Key<PageReport>] = [
        Key("page", "the path of the page, absolute and without links") { .text($0.target) },
        Key("streams", "the number of streams") { .number($0.streams) },
        Key("steps", "the number of steps in the page") { .number($0.steps) },
        Key("omitted", "the number of steps that are not in it") { .number($0.omitted) },
        Key("effects", "the number of effects in it") { .number($0.effects) },
        Key("states", "the number of states in it") { .number($0.states) },
        Key("bytes", "its size") { .number($0.bytes) },
    ]
}
