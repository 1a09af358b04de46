import JournalStore

extension Command {
    /// `verify FILE`
    static let verify = Command(
        name: "verify",
        summary: "Check a journal for damage, and by its machines that it can be replayed.",
        discussion: """
            It checks the file itself, the schema, the steps and digests of each stream, snapshots and records, and that \
            nothing is missing which the last writer had acknowledged. It ends with \(ExitCode.damaged.rawValue) where \
            something is wrong. An app may go on writing meanwhile.
            Streams whose machine is known are also replayed from their beginning and compared, by value, with every \
            snapshot and with the recorded outcomes, cascades and effects; here, and in other processes, in which sets and \
            dictionaries have another order. It ends with \(ExitCode.diverged.rawValue) where something differs.
            """,
        positionals: [.file],
        options: [stream, replayOnly, states, Machines.option],
        keys: keys.map(\.row),
        work: .replaying { arguments, reader, output, machines in
            var found = Found()
            let names = try arguments[stream].map { [try reader.stream($0)] } ?? reader.streams()
            if !arguments[replayOnly] { found.report = try reader.verify() }
            for stream in names where machines.knows(stream) {
                found.replays.append(try replay(stream, arguments, reader, output, machines))
            }
            if !found.replays.isEmpty { found.others = names.filter { !machines.knows($0) } }
            if output.isJSON {
                try output.object(found, keys)
            } else {
                try found.write(to: output)
            }
            if found.report?.isSound == false { return .damaged }
            return found.replays.allSatisfy(\.report.isFaithful) ? .fine : .diverged
        })

    private static func replay(
        _ stream: StreamInfo, _ arguments: Arguments, _ reader: JournalReader, _ output: Output, _ machines: Machines
    ) throws -> Replayed {
        let session = try machines.session(on: stream.name, reader)
        var replayed = Replayed(
            report: try session.verify(every: output.isJSON ? arguments[states] : nil) { step, state in
                try output.object((step, state), stateKeys)
            }, processes: 1)
        guard !arguments[replayOnly], replayed.report.isFaithful else { return replayed }
        guard let others = OtherProcesses(arguments: arguments.line, libraries: arguments.all(Machines.option)) else {
            output.warning(
                "The stream '\(stream.name)' was not replayed in another process: how this one was called is not known."
            )
            return replayed
        }
        for _ in 0..<OtherProcesses.count(steps: replayed.report.lastStep - replayed.report.firstStep) {
            replayed.processes += 1
            replayed.report.divergence = try others.divergence(from: replayed.report, session, reader)
            if !replayed.report.isFaithful { break }
        }
        return replayed
    }

    private static let stream = Option<String>.text("stream", "NAME", help: "Replay only this stream.")
    private static let replayOnly = Flag(
        "replay-only", help: "Only replay, and in this process alone; the file itself is not checked.")
    private static let states = Option<Int>.count(
        "states", "N", help: "With --json, and before the object: the state after every Nth step, a line each.")

    private static let stateKeys: [Key<(Int, String)>] = [
        Key("step", "the step") { .number($0.0) }, Key("state", "the state after it, as a text") { .text($0.1) },
    ]

    private static let keys: [Key<Found>] = [
        Key("sound", "whether nothing is wrong; null where it was not looked at") {
            $0.report.map { .bool($0.isSound) } ?? .null
        },
        Key("streams", "how many streams were read") { .number($0.report?.streams) },
        Key("entries", "how many entries were read") { .number($0.report?.entries) },
        Key("snapshots", "how many snapshots were compared with their entries") { .number($0.report?.snapshots) },
        Key("problems", "what is wrong, \(VerificationReport.limit) at the most: objects with stream, step, message") {
            .list(($0.report?.problems ?? []).map(\.json))
        },
        Key(
            "replays",
            "the streams that were replayed: objects with stream, version, firstStep, lastStep, snapshots, records, "
                + "processes, unreadableSnapshots, behindBases, and divergence where there is one: kind, step, lastGood, "
                + "action, changes"
        ) { .list($0.replays.map(\.json)) },
        Key("notReplayed", "the streams whose machine is not known, where others were replayed") {
            .list($0.others.map { .text($0.name) })
        },
    ]
}

/// What a verification found.
private struct Found {
    var report: VerificationReport?
    var replays: [Replayed] = []
    var others: [StreamInfo] = []

    func write(to output: Output) throws {
        for line in report?.lines(output.style) ?? [] { try output.line(line) }
        for replayed in replays { try replayed.write(to: output) }
        for stream in others {
            try output.line(
                "Not replayed: '\(SafeText.escape(stream.name))', as the machine '\(SafeText.escape(stream.machine))' is not known."
            )
        }
    }
}

/// A stream that was replayed, in so many processes.
private struct Replayed {
    var report: ReplayReport
    var processes: Int

    var json: JSON {
        guard let text = try? JSONCodec().encode(report), case .object(let members) = JSONNode(text) else {
            return .null
        }
        return JSONNode.object(members + [.init(key: "processes", value: .number("\(processes)"))]).json
    }

    func write(to output: Output) throws {
        let steps = Quantity.counted(report.lastStep - report.firstStep, "step", "steps")
        let snapshots = Quantity.counted(report.snapshots, "snapshot", "snapshots")
        let records = Quantity.counted(report.records, "record", "records")
        let name = "'\(SafeText.escape(report.stream))'"
        let verdict =
            report.isFaithful ? "Faithful" : output.style.problem("Not faithful")
        try output.line(
            "\(verdict): \(name), \(steps) replayed in \(Quantity.counted(processes, "process", "processes")), "
                + "\(snapshots) and \(records) compared.")
        if let divergence = report.divergence {
            for text in divergence.description.split(separator: "\n") {
                try output.line("  " + SafeText.escape(String(text)))
            }
        }
        if let first = report.behindBases.first {
            let count = Quantity.counted(report.behindBases.count, "difference", "differences")
            try output.line(
                "  \(count) behind a base, where older code had its own results; the first at step \(first.step).")
        }
        if !report.unreadableSnapshots.isEmpty {
            let steps = report.unreadableSnapshots.map(String.init).joined(separator: ", ")
            try output.line("  This version cannot read the snapshots of the steps \(steps).")
        }
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
