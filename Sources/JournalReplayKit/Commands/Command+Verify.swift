import JournalStore

extension Command {
    /// `verify FILE`
    static let verify = Command(
        name: "verify",
        summary: "Check a journal for damage, and with its machines that replays match it.",
        discussion: """
            It checks the file itself, the schema, the steps and digests of each stream, snapshots and records, and \
            that no entry is missing that the last writer had acknowledged. If something is wrong, the exit code is \
            \(ExitCode.damaged.rawValue). An app may write meanwhile.
            Streams whose machine is known are also replayed from their beginning and compared, by value, with every \
            snapshot and with the recorded outcomes, cascades and effects; in several processes, as sets and \
            dictionaries have another order in each. If something differs, the exit code is \
            \(ExitCode.diverged.rawValue). If an action, a live effect, or the snapshot with which an opening would begin cannot \
            be decoded, it is \(ExitCode.damaged.rawValue). A reducer that crashes ends only the process that replays its stream.
            If STREAM or --replay-only is given and no machine of the streams is known, the exit code is \
            \(ExitCode.failed.rawValue); with STREAM only if the tool has machines or --machine is given.
            A stream that differs is printed in full, all others as a summary; so are further ones that fail with the same error.
            """,
        positionals: [.file, replayed],
        options: [.stream, replayOnly, verbose, Machines.option],
        keys: keys.map(\.row),
        lines: ("replayed stream", Replayed.keys.map(\.row)),
        work: .replaying { arguments, reader, output, machines in
            var found = Found()
            let names = try arguments.namedStream().map { [try reader.stream($0)] }
            if !arguments[replayOnly] {
                found.report = try reader.verify()
                // Written before the replay, because a reducer can crash this process.
                if !output.isJSON { try output.lines(found.lines(output.style)) }
                try output.flush()
            }
            // If the streams cannot be read, the report already says so.
            let streams =
                try names ?? (found.report?.isSound == false ? (try? reader.streams()) ?? [] : reader.streams())
            let known = streams.filter(machines.knows)
            if machines.isAsked || arguments[replayOnly] {
                found.others = streams.filter { !machines.knows($0) }
            } else {
                found.isWithoutMachine = !streams.isEmpty && found.report?.isSound != false
            }
            try replay(known, arguments, reader, output, machines) { replayed in
                var replayed = replayed
                replayed.error = replayed.error?.verified(canBeRead: true)
                if let report = found.report, !report.isSound, replayed.error?.code == .corrupt {
                    replayed.error?.advice = report.advice
                }
                found.add(replayed)
                guard !output.isJSON else { return try output.object(replayed, Replayed.keys) }
                guard arguments[verbose] || known.count == 1 || replayed.isTrouble && !found.repeats(replayed) else {
                    return
                }
                // The advice for several streams is in the summary, once.
                try replayed.write(to: output, advises: known.count == 1)
            }
            if output.isJSON { try output.object(found, keys) } else { try found.writeSummary(to: output) }
            // A replay that was asked for and cannot be done is an error.
            if arguments[replayOnly] || names != nil && machines.isAsked, found.code == .fine, known.isEmpty,
                let first = streams.first
            {
                _ = try machines.session(on: first.name, reader)
            }
            return found.code
        })

    private static func replay(
        _ streams: [StreamInfo], _ arguments: Arguments, _ reader: JournalReader, _ output: Output,
        _ machines: Machines, _ take: (Replayed) throws -> Void
    ) throws {
        guard !streams.isEmpty else { return }
        var verifier: StreamVerifier?
        if !arguments[replayOnly] {
            verifier = ReplayChildren(arguments: arguments).flatMap { StreamVerifier($0, reader) }
            if verifier == nil {
                output.warning("Replayed in this process only, because its command line is unknown.")
            }
        }
        for (index, stream) in streams.enumerated() {
            if streams.count > 1 { machines.progress.show(index, of: streams.count, ("verified", "streams")) }
            try take(
                verifier?.verify(stream) { if streams.count == 1 { machines.progress.show($0, of: $1) } }
                    ?? replayHere(stream, reader, machines))
        }
        machines.progress.end()
    }

    private static func replayHere(
        _ stream: StreamInfo, _ reader: JournalReader, _ machines: Machines
    ) throws -> Replayed {
        var replayed = Replayed(stream: stream.name, report: nil, processes: 1)
        do {
            replayed.report = try machines.session(on: stream.name, reader).verify(every: nil) { _, _ in }
        } catch let error as JournalError {
            replayed.error = error
        }
        return replayed
    }

    private static let replayed = Positional(
        name: Positional.stream.name, help: "Replay only this stream.", completion: .nothing, isOptional: true)
    private static let replayOnly = Flag(
        "replay-only", help: "Only replay, and only in this process; do not check the file itself.")
    private static let verbose = Flag("verbose", help: "List each replayed stream.")

    private static let keys: [Key<Found>] = [
        Key("sound", "whether nothing is wrong; null if the file was not checked") {
            $0.report.map { .bool($0.isSound) } ?? .null
        },
        Key("streams", "the number of streams read") { .number($0.report?.streams) },
        Key("entries", "the number of entries read") { .number($0.report?.entries) },
        Key("snapshots", "the number of snapshots compared with their entries") { .number($0.report?.snapshots) },
        Key("problems", "the problems, at most \(VerificationReport.limit): objects with stream, step, message") {
            .list(($0.report?.problems ?? []).map(\.json))
        },
        Key("replayed", "the number of streams that were replayed") { .number($0.replayed) },
        Key("faithful", "the number of those whose replay matches the journal") { .number($0.faithful) },
        Key(
            "orphans",
            "the number of live effects that the code does not return any more, at most \(ReplayReport.limit) of each stream"
        ) { .number($0.orphans) },
        Key("olderSteps", Replayed.olderStepsMeaning) { .number($0.olderSteps) },
        Key(
            "withoutState", "the number of replayed streams that have no snapshot at all, so that no state was compared"
        ) {
            .number($0.withoutState)
        },
        Key("unreadable", "the number of replayed streams with snapshots that this version cannot read") {
            .number($0.unreadable)
        },
        Key("notReplayed", "the streams whose machine is unknown, if a replay was requested") {
            .list($0.others.map { .text($0.name) })
        },
    ]
}

/// What a verification found.
private struct Found {
    var report: VerificationReport?
    var others: [StreamInfo] = []
    /// Whether nothing was replayed, because no machine is known and none was named.
    var isWithoutMachine = false
    private(set) var replayed = 0
    private(set) var faithful = 0
    private var steps = 0
    private var snapshots = 0
    private var records = 0
    private var processes = 0
    /// The number of streams in which older code did something else.
    private var older = 0
    private(set) var orphans = 0
    /// The number of steps of older versions that this version reduces again, and of the streams they are in.
    private(set) var olderSteps = 0
    private var overtaken = 0
    /// Whether an older version can still save some of these steps, with a snapshot after them.
    private var canBeSaved = false
    /// The number of streams without a snapshot to compare a state with.
    private(set) var withoutState = 0
    /// The number of streams with snapshots that this version cannot read.
    private(set) var unreadable = 0
    private var error: JournalError?
    /// The errors that were printed, in their order, with the other streams that failed with the same one.
    private var failures: [(error: JournalError, others: [String])] = []

    /// What to do about the differences, each with the streams that it is for.
    private var adviceLines: [(text: String, streams: [String])] = []
    /// The streams that differ at a step of an older version. The first was printed.
    private var differing: [String] = []
    /// Why the snapshots with which openings would begin cannot be read, each with its streams. The first stream was
    /// printed.
    private var unreadableStarts: [(reason: String, streams: [String])] = []
    /// Whether such a snapshot was found.
    private var hasUnreadableStart = false

    /// Counts a stream that failed with an error that was printed for another one, differs at a step of an older
    /// version as another one, or has a newest snapshot that cannot be read for the same reason.
    ///
    /// - Returns: false if the stream must be printed.
    mutating func repeats(_ stream: Replayed) -> Bool {
        if stream.error == nil, stream.report?.divergence?.isReducedAgain == true {
            defer { differing.append(stream.stream) }
            return !differing.isEmpty
        }
        if stream.error == nil, stream.report?.divergence == nil, let start = stream.report?.unreadableStart {
            return repeats(start.message, of: stream.stream)
        }
        // Each crash is at a step of its own.
        guard let error = stream.error, error.code != .crashed else { return false }
        let known = failures.firstIndex { $0.error.code == error.code && $0.error.message == error.message }
        guard let known else {
            failures.append((error, []))
            return false
        }
        failures[known].others.append(stream.stream)
        return true
    }

    private mutating func repeats(_ reason: String, of stream: String) -> Bool {
        guard let known = unreadableStarts.firstIndex(where: { $0.reason == reason }) else {
            unreadableStarts.append((reason, [stream]))
            return false
        }
        unreadableStarts[known].streams.append(stream)
        return true
    }

    mutating func add(_ stream: Replayed) {
        replayed += 1
        if error == nil { error = stream.error }
        processes = max(processes, stream.processes)
        guard let report = stream.report else { return }
        if report.isFaithful { faithful += 1 }
        if let advice = report.divergence?.advice {
            if let known = adviceLines.firstIndex(where: { $0.text == advice }) {
                adviceLines[known].streams.append(stream.stream)
            } else {
                adviceLines.append((advice, [stream.stream]))
            }
        }
        if !report.ofOlderCode.isEmpty { older += 1 }
        orphans += report.orphans.count
        if stream.comparedNoState { withoutState += 1 }
        if !report.unreadableSnapshots.isEmpty { unreadable += 1 }
        if report.unreadableStart != nil { hasUnreadableStart = true }
        olderSteps += report.olderSteps
        if report.olderSteps > 0 {
            overtaken += 1
            if report.unreadableStart == nil { canBeSaved = true }
        }
        steps += report.lastStep - report.firstStep
        snapshots += report.snapshots
        records += report.records
    }

    func lines(_ style: Style) -> [String] { report?.lines(style) ?? [] }

    func writeSummary(to output: Output) throws {
        for (error, others) in failures {
            guard let first = others.first else { continue }
            let which =
                others.count == 1 ? "" : "\(Quantity.counted(others.count, "other stream", "other streams")), such as "
            try output.line(
                output.style.problem("Replay failed")
                    + ": \(which)'\(SafeText.escape(first))', with the same error as '\(SafeText.escape(error.stream ?? ""))': "
                    + "\(SafeText.escape(error.message)) --verbose lists each.")
        }
        if differing.count > 1 {
            try output.line(
                "\(Quantity.counted(differing.count - 1, "other stream differs", "other streams differ")) at a step of an older version, "
                    + "such as '\(SafeText.escape(differing[1]))'. --verbose lists each.")
        }
        for (reason, streams) in unreadableStarts where streams.count > 1 {
            let others =
                streams.count == 2
                ? "" : "\(Quantity.counted(streams.count - 1, "other stream", "other streams")), such as "
            try output.line(
                output.style.problem("Not faithful")
                    + ": \(others)'\(SafeText.escape(streams[1]))', for the same reason as '\(SafeText.escape(streams[0]))': "
                    + "\(SafeText.escape(reason)) --verbose lists each.")
        }
        // A single stream has its own lines.
        if replayed > 1 {
            for (advice, streams) in adviceLines {
                let others = streams.count - 1
                let more = others == 0 ? "" : " and \(Quantity.counted(others, "other stream", "other streams"))"
                try output.line("'\(SafeText.escape(streams[0]))'\(more): \(output.own(advice))")
            }
            let streams = Quantity.counted(replayed, "stream", "streams")
            let verdict =
                faithful == replayed
                ? "Faithful: \(streams)"
                : output.style.problem("Not faithful: \(Quantity.grouped(replayed - faithful)) of \(streams)")
            try output.line(
                "\(verdict), \(Quantity.counted(steps, "step", "steps")) replayed in "
                    + "\(Quantity.counted(processes, "process", "processes")), "
                    + "\(Quantity.counted(snapshots, "snapshot", "snapshots")) and "
                    + "\(Quantity.counted(records, "record", "records")) compared.")
            if older > 0 {
                try output.line(
                    "In \(Quantity.counted(older, "stream", "streams")), older code did something else; --verbose lists "
                        + "them, and --json what differs.")
            }
        }
        if orphans > 0, replayed > 1 {
            try output.line(
                "The code does not return \(Quantity.counted(orphans, "live effect", "live effects")) any more: an opening makes them orphans; "
                    + "--verbose lists them.")
        }
        if olderSteps > 0 {
            let advice =
                canBeSaved
                ? ": `snapshot --all`, with the older code, keeps its own. Steps that are not settled need an opening with it."
                : "."
            try output.line(
                "In \(Quantity.counted(overtaken, "stream", "streams")) an opening reduces "
                    + "\(Quantity.counted(olderSteps, "step", "steps")) of older code again, because no snapshot that it can read follows "
                    + "them, and the result counts\(advice)")
        }
        if unreadable > 0, replayed > 1 {
            try output.line(
                "In \(Quantity.counted(unreadable, "stream", "streams")) this version cannot read a snapshot; --verbose lists them."
            )
        }
        if withoutState > 0, faithful == replayed {
            try output.line(
                "No state was compared in \(Quantity.counted(withoutState, "stream", "streams")), because there is no snapshot: "
                    + "`snapshot --all`, with the code that wrote the journal, takes some.")
        }
        if isWithoutMachine {
            try output.line(
                "The steps were not replayed, because no machine is known. To compare the states too, use the app's own tool, or --machine LIBRARY."
            )
        }
        for (machine, streams) in Dictionary(grouping: others, by: \.machine).sorted(by: { $0.key < $1.key }) {
            let name = "'\(SafeText.escape(streams.first?.name ?? ""))'"
            let which = streams.count == 1 ? name : "\(Quantity.grouped(streams.count)) streams, such as \(name)"
            try output.line("Not replayed: \(which): unknown machine '\(SafeText.escape(machine))'.")
        }
    }

    /// Damage takes precedence over failed replays, which can follow from it.
    var code: ExitCode {
        if report?.isSound == false { return .damaged }
        if let error {
            // Of a replay: the base with which it would go on cannot be decoded.
            return error.code == .noUsableSnapshot ? .damaged : ExitCode(error)
        }
        if hasUnreadableStart { return .damaged }
        return faithful == replayed ? .fine : .diverged
    }
}

extension VerificationReport.Problem {
    fileprivate var json: JSON {
        .object([
            .init(key: "stream", value: .text(stream)), .init(key: "step", value: .number(step)),
            .init(key: "message", value: .text(message)),
        ])
    }
}

extension VerificationReport {
    fileprivate var advice: String {
        isSoundWithoutCaches
            ? "Nothing is lost: such a snapshot only saves time. `snapshot FILE STREAM --drop STEP --yes` removes it."
            : JournalError.adviceForKnownDamage
    }

    fileprivate func lines(_ style: Style) -> [String] {
        let read = [
            Quantity.counted(streams, "stream", "streams"), Quantity.counted(entries, "entry", "entries"),
            Quantity.counted(snapshots, "snapshot", "snapshots"),
        ].joined(separator: ", ")
        guard !isSound else { return ["Sound: \(read)."] }
        let count = problems.count
        let many =
            count < VerificationReport.limit
            ? Quantity.counted(count, "problem", "problems") : "\(count) problems or more"
        return [style.problem("Not sound: \(many).") + " Read: \(read)."]
            + problems.map { "  " + SafeText.escape($0.description) } + [advice]
    }
}
