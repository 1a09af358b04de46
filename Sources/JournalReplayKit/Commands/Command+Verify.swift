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
            \(ExitCode.diverged.rawValue). If an action, a live effect, or the snapshot with which an opening would \
            begin cannot be decoded, it is \(ExitCode.damaged.rawValue). A reducer that crashes ends only the process \
            that replays its stream.
            If STREAM or --replay-only is given and no machine of the streams is known, the exit code is \
            \(ExitCode.failed.rawValue); with STREAM only if the tool has machines or --machine is given. With \
            --strict it is \(ExitCode.failed.rawValue) if the machine of any stream is unknown, \
            \(ExitCode.missing.rawValue) if there is no stream, and \(ExitCode.diverged.rawValue) if an opening leaves \
            a live effect as an orphan that never ends.
            A stream that differs or fails is printed in full, unless another one of its machine was printed that differs \
            in the same kind of thing at the same action, or has failed for the same reason. All other streams are in a \
            summary.
            """,
        positionals: [.file, replayed],
        options: [.stream, replayOnly, strict, verbose, Machines.option],
        keys: keys.map(\.row),
        lines: ("replayed stream", Replayed.keys.map(\.row)),
        work: .replaying { arguments, reader, output, machines in
            var found = VerifyFindings()
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
            let machineNames = Dictionary(
                known.map { (ByteName($0.name), $0.machine) }, uniquingKeysWith: { first, _ in first })
            if machines.isAsked || arguments[replayOnly] || arguments[strict] {
                found.others = streams.filter { !machines.knows($0) }
            } else {
                found.isWithoutMachine = !streams.isEmpty && found.report?.isSound != false
            }
            try replay(known, arguments, reader, output, machines) { replayed in
                var replayed = replayed
                replayed.error = replayed.error?.verified(canBeRead: true)
                if let report = found.report, !report.isSound, replayed.error?.code == .corrupt,
                    let advice = report.advice
                {
                    replayed.error?.advice = advice
                }
                found.add(replayed)
                guard !output.isJSON else { return try output.object(replayed, Replayed.keys) }
                let machine = machineNames[ByteName(replayed.stream)] ?? ""
                guard
                    arguments[verbose] || known.count == 1
                        || replayed.isTrouble && !found.repeats(replayed, of: machine)
                else { return }
                // The advice for several streams is in the summary, once.
                try replayed.write(to: output, advises: known.count == 1)
            }
            if output.isJSON { try output.object(found, keys) } else { try found.writeSummary(to: output) }
            // A replay that was asked for and cannot be done is an error.
            let isAsked = known.isEmpty && (arguments[replayOnly] || names != nil && machines.isAsked)
            if isAsked || arguments[strict], found.code == .fine,
                let unknown = streams.first(where: { !machines.knows($0) })
            {
                _ = try machines.session(on: unknown.name, reader)
            }
            if arguments[strict], found.code == .fine, streams.isEmpty {
                throw JournalError(
                    .unknownStream, "The journal has no stream, so nothing was replayed.",
                    advice: "If it was copied without its -wal file, copy it with `backup`.", file: reader.file)
            }
            if arguments[strict], found.code == .fine, found.stranded > 0 {
                let what =
                    found.stranded == 1
                    ? "1 live effect never ends: an opening leaves it as an orphan."
                    : "\(Quantity.grouped(found.stranded)) live effects never end: an opening leaves them as orphans."
                output.error("\(SafeText.escape(reader.file ?? "")): With this code, \(what)")
                return .diverged
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
    static let replayOnly = Flag(
        "replay-only", help: "Only replay, and only in this process; do not check the file itself.")
    private static let strict = Flag(
        "strict",
        help:
            "Fail also if a machine is unknown, there is no stream, or a live effect becomes an orphan that never ends."
    )
    private static let verbose = Flag("verbose", help: "List each replayed stream.")

    private static let keys: [Key<VerifyFindings>] = [
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
            """
            the number of live effects that the code does not return any more, at most \(ReplayReport.limit) of each \
            stream
            """
        ) { .number($0.orphans) },
        Key("olderSteps", Replayed.olderStepsMeaning) { .number($0.olderSteps) },
        Key(
            "withoutState",
            "the number of replayed streams that have steps and no snapshot at all, so that no state was compared"
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
