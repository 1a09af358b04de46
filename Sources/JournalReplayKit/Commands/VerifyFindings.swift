import JournalStore

/// What a verification found.
struct VerifyFindings {
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
    /// The number of those that an opening leaves as orphans, so that they never end.
    private(set) var stranded = 0
    /// The number of steps of older versions that this version reduces again, and of the streams they are in.
    private(set) var olderSteps = 0
    private var countedAllOlderSteps = true
    private var overtaken = 0
    /// Whether an older version can still save some of these steps, with a snapshot after them.
    private var canBeSaved = false
    /// The number of streams without a snapshot to compare a state with.
    private(set) var withoutState = 0
    /// The number of streams with snapshots that this version cannot read.
    private(set) var unreadable = 0
    private var error: JournalError?
    /// The errors that were printed, each with its streams. The first stream was printed.
    private var failures = StreamGroups<Failure>()

    /// What to do about the differences, each with the streams that it is for.
    private var adviceLines = StreamGroups<String>()
    /// The streams that differ at a step of an older version. The first was printed.
    private var differing: [String] = []
    /// The other differences, each with its streams. The first stream was printed.
    private var differences = StreamGroups<Difference>()

    private struct Failure: Hashable {
        var code: JournalError.Code
        var message: String
    }

    /// Differences that probably have one cause.
    private struct Difference: Hashable {
        var machine: String
        var kind: Divergence.Kind
        var action: String?
    }
    /// Why the snapshots with which openings would begin cannot be read, each with its streams. The first stream was
    /// printed.
    private var unreadableStarts = StreamGroups<String>()
    /// Whether such a snapshot was found.
    private var hasUnreadableStart = false

    /// Counts a stream that failed with an error that was printed for another one, differs as another one, or has a
    /// newest snapshot that cannot be read for the same reason.
    ///
    /// - Parameter machine: the machine of the stream.
    /// - Returns: false if the stream must be printed.
    mutating func repeats(_ stream: Replayed, of machine: String) -> Bool {
        if stream.error == nil, let divergence = stream.report?.divergence {
            var isKnown = !differing.isEmpty
            if divergence.isReducedAgain {
                differing.append(stream.stream)
            } else {
                let difference = Difference(machine: machine, kind: divergence.kind, action: divergence.action)
                isKnown = !differences.add(stream.stream, to: difference)
            }
            // Why it cannot begin with its snapshot is printed too.
            if let start = stream.report?.unreadableStart, unreadableStarts.add(stream.stream, to: start.message) {
                return false
            }
            return isKnown
        }
        if stream.error == nil, stream.report?.divergence == nil, let start = stream.report?.unreadableStart {
            return !unreadableStarts.add(stream.stream, to: start.message)
        }
        // Each crash is at a step of its own.
        guard let error = stream.error, error.code != .crashed else { return false }
        return !failures.add(stream.stream, to: Failure(code: error.code, message: error.message))
    }

    mutating func add(_ stream: Replayed) {
        replayed += 1
        if error == nil { error = stream.error }
        processes = max(processes, stream.processes)
        guard let report = stream.report else { return }
        if report.isFaithful { faithful += 1 }
        if let advice = report.divergence?.advice { adviceLines.add(stream.stream, to: advice) }
        if !report.ofOlderCode.isEmpty { older += 1 }
        orphans += report.orphans.count
        stranded += report.orphans.count { $0.outcome == .orphan }
        if stream.comparedNoState { withoutState += 1 }
        if !report.unreadableSnapshots.isEmpty { unreadable += 1 }
        if report.unreadableStart != nil { hasUnreadableStart = true }
        olderSteps += report.olderSteps
        // It counted no steps after the difference.
        if report.olderSteps > 0, report.divergence != nil { countedAllOlderSteps = false }
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
        if report == nil, replayed == 0, others.isEmpty { try output.line("Nothing was replayed: there is no stream.") }
        try writeRepeated(to: output)
        // A single stream has its own lines.
        if replayed > 1 { try writeVerdict(to: output) }
        try writeRemarks(to: output)
        try writeNotReplayed(to: output)
    }

    /// The streams for which the same was found as for one that was printed.
    private func writeRepeated(to output: Output) throws {
        for (error, streams) in failures.groups where streams.count > 1 {
            let others =
                streams.count == 2
                ? "" : "\(Quantity.counted(streams.count - 1, "other stream", "other streams")), such as "
            try output.line(
                output.style.problem("Replay failed")
                    + ": \(others)'\(SafeText.escape(streams[1]))', with the same error as "
                    + "'\(SafeText.escape(streams[0]))': \(SafeText.escape(error.message)) --verbose lists each.")
        }
        for (difference, streams) in differences.groups where streams.count > 1 {
            let others =
                streams.count == 2
                ? "" : "\(Quantity.counted(streams.count - 1, "other stream", "other streams")), such as "
            let place = difference.action.map { " (\(SafeText.escape($0)))" } ?? ""
            try output.line(
                output.style.problem("Not faithful")
                    + ": \(others)'\(SafeText.escape(streams[1]))', with a difference of the same kind"
                    + "\(place) as '\(SafeText.escape(streams[0]))'. --verbose lists each.")
        }
        if differing.count > 1 {
            try output.line(
                "\(Quantity.counted(differing.count - 1, "other stream differs", "other streams differ")) at a "
                    + "step of an older version, such as '\(SafeText.escape(differing[1]))'. --verbose lists each.")
        }
        for (reason, streams) in unreadableStarts.groups where streams.count > 1 {
            let others =
                streams.count == 2
                ? "" : "\(Quantity.counted(streams.count - 1, "other stream", "other streams")), such as "
            try output.line(
                output.style.problem("Not faithful")
                    + ": \(others)'\(SafeText.escape(streams[1]))', for the same reason as "
                    + "'\(SafeText.escape(streams[0]))': \(SafeText.escape(reason)) --verbose lists each.")
        }
    }

    private func writeVerdict(to output: Output) throws {
        for (advice, streams) in adviceLines.groups {
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
                "In \(Quantity.counted(older, "stream", "streams")), steps of older versions give other results with this "
                    + "code, which is no failure; --verbose lists the streams, and --json what differs.")
        }
    }

    private func writeRemarks(to output: Output) throws {
        if orphans > 0, replayed > 1 {
            try output.line(
                "The code does not know \(Quantity.counted(orphans, "live effect", "live effects")) any more: "
                    + "--verbose says what an opening does with each.")
        }
        if olderSteps > 0 {
            let advice =
                canBeSaved
                ? ": `snapshot --all`, with the older code, keeps the states that it computes. Steps that are not "
                    + "settled need an opening with it."
                : "."
            try output.line(
                "In \(Quantity.counted(overtaken, "stream", "streams")) an opening reduces "
                    + (countedAllOlderSteps ? "" : "at least ")
                    + "\(Quantity.counted(olderSteps, "step", "steps")) of older versions again, because there is "
                    + "no later snapshot that it can read, and the result counts\(advice)")
        }
        if unreadable > 0, replayed > 1 {
            try output.line(
                "In \(Quantity.counted(unreadable, "stream", "streams")) this version cannot read a snapshot; "
                    + "--verbose lists them."
            )
        }
        if withoutState > 0, faithful == replayed {
            try output.line(
                "No state was compared in \(Quantity.counted(withoutState, "stream", "streams")), because there "
                    + "is no snapshot: `snapshot --all`, with the code that wrote the journal, takes one of each "
                    + "stream that has a settled step.")
        }
    }

    private func writeNotReplayed(to output: Output) throws {
        if isWithoutMachine {
            try output.line(
                "The steps were not replayed, because no machine is known. To compare the states too, use the "
                    + "app's own tool, or --machine LIBRARY."
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
    var json: JSON {
        .object([
            .init(key: "stream", value: .text(stream)), .init(key: "step", value: .number(step)),
            .init(key: "message", value: .text(message)),
        ])
    }
}

extension VerificationReport {
    /// Nil if each problem says itself what to do.
    var advice: String? {
        if isSoundWithoutCaches {
            return
                "Nothing is lost: such a snapshot only saves time. `snapshot FILE STREAM --drop STEP --yes` removes it."
        }
        guard problems.allSatisfy({ $0.isOfMissingEntries || $0.isOfAddition }) else {
            return JournalError.adviceForKnownDamage
        }
        return problems.contains(where: \.isOfAddition) ? "Drop what was added to the schema, in a sqlite3 shell." : nil
    }

    func lines(_ style: Style) -> [String] {
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
            + problems.map { "  " + SafeText.escape($0.description) } + [advice].compactMap(\.self)
    }
}
