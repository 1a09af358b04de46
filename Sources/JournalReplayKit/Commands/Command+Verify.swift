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
            snapshot and with the recorded outcomes, cascades and effects; here, and in other processes, where sets \
            and dictionaries have another order. If something differs, the exit code is \(ExitCode.diverged.rawValue).
            """,
        positionals: [.file],
        options: [stream, replayOnly, states, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            if arguments[states] != nil, !output.isJSON { throw UsageError("'--states' needs '--json'.") }
            var found = Found()
            let names = try arguments[stream].map { [try reader.stream($0)] }
            if !arguments[replayOnly] {
                found.report = try reader.verify()
                // Written before the replay, because a reducer can crash this process.
                if !output.isJSON { try output.lines(found.lines(output.style)) }
                try output.flush()
            }
            // If the streams cannot be read, the report already says so.
            let streams =
                try names ?? (found.report?.isSound == false ? (try? reader.streams()) ?? [] : reader.streams())
            for stream in streams where machines.knows(stream) {
                let replayed = try replay(stream, arguments, reader, output, machines)
                found.replays.append(replayed)
                if !output.isJSON { try replayed.write(to: output) }
            }
            if machines.isAsked || arguments[replayOnly] { found.others = streams.filter { !machines.knows($0) } }
            if output.isJSON { try output.object(found, keys) } else { try found.writeOthers(to: output) }
            if arguments[replayOnly], found.replays.isEmpty, let first = streams.first {
                _ = try machines.session(on: first.name, reader)
            }
            return found.code
        })

    private static func replay(
        _ stream: StreamInfo, _ arguments: Arguments, _ reader: JournalReader, _ output: Output, _ machines: Machines
    ) throws -> Replayed {
        let session = try machines.session(on: stream.name, reader)
        var replayed: Replayed
        do {
            let report = try session.verify(every: arguments[states]) { step, state in
                try output.object((stream.name, step, state), stateKeys)
            }
            replayed = Replayed(stream: stream.name, report: report, processes: 1)
        } catch let error as JournalError {
            return Replayed(stream: stream.name, report: nil, processes: 1, error: error)
        }
        guard !arguments[replayOnly], var report = replayed.report, report.isFaithful else { return replayed }
        guard let others = OtherProcesses(arguments: arguments.line, libraries: arguments.all(Machines.option)) else {
            output.warning(
                "The stream '\(stream.name)' was not replayed in another process: this one's command line is unknown."
            )
            return replayed
        }
        for _ in 0..<OtherProcesses.count(steps: report.lastStep - report.firstStep) where report.isFaithful {
            replayed.processes += 1
            report.divergence = try others.divergence(from: report, session, reader)
        }
        replayed.report = report
        return replayed
    }

    private static let stream = Option<String>.text("stream", "NAME", help: "Replay only this stream.")
    private static let replayOnly = Flag(
        "replay-only", help: "Only replay, and only in this process; do not check the file itself.")
    private static let states = Option<Int>.count(
        "states", "N", help: "With --json: before the object, write the state after every Nth step, one per line.")

    private static let stateKeys: [Key<(String, Int, String)>] = [
        Key("stream", "the stream") { .text($0.0) }, Key("step", "the step") { .number($0.1) },
        Key("state", "the state after it, as a string") { .text($0.2) },
    ]

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
        Key(
            "replays",
            "the streams that were replayed: objects with stream, faithful, version, firstStep, lastStep, snapshots, "
                + "records, processes, unreadableSnapshots, ofOlderCode, divergence (kind, step, lastGood, action, changes; "
                + "null if there is none), error (null if the replay finished)"
        ) { .list($0.replays.map(\.json)) },
        Key("notReplayed", "the streams whose machine is unknown, if a replay was requested") {
            .list($0.others.map { .text($0.name) })
        },
    ]
}

/// What a verification found.
private struct Found {
    var report: VerificationReport?
    var replays: [Replayed] = []
    var others: [StreamInfo] = []

    func lines(_ style: Style) -> [String] { report?.lines(style) ?? [] }

    func writeOthers(to output: Output) throws {
        for stream in others {
            try output.line(
                "Not replayed: '\(SafeText.escape(stream.name))': unknown machine '\(SafeText.escape(stream.machine))'."
            )
        }
    }

    /// Damage takes precedence over failed replays, which can follow from it.
    var code: ExitCode {
        if report?.isSound == false { return .damaged }
        if let error = replays.lazy.compactMap(\.error).first { return ExitCode(error) }
        return replays.allSatisfy { $0.report?.isFaithful ?? false } ? .fine : .diverged
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
            + problems.map { "  " + SafeText.escape($0.description) }
    }
}
