import JournalStore

/// The result of replaying a stream, in one or more processes.
struct Replayed {
    var stream: String
    /// nil if the replay did not finish.
    var report: ReplayReport?
    var processes: Int
    var error: JournalError?

    static let keys: [Key<Replayed>] = [
        Key("stream", "the stream") { .text($0.stream) },
        Key("faithful", "whether the replay matches the journal; null if it did not finish") {
            $0.report.map { .bool($0.isFaithful) } ?? .null
        },
        Key("version", "the machine's version") { .number($0.report?.version) },
        Key("firstStep", "the step after which the replay began") { .number($0.report?.firstStep) },
        Key("lastStep", "the last step that was reduced") { .number($0.report?.lastStep) },
        Key("snapshots", "the number of compared snapshots") { .number($0.report?.snapshots) },
        Key("records", "the number of compared records") { .number($0.report?.records) },
        Key("processes", "the number of processes that replayed it") { .number($0.processes) },
        Key("unreadableSnapshots", "the steps of snapshots that this version cannot read") {
            .list(($0.report?.unreadableSnapshots ?? []).map { .number($0) })
        },
        Key(
            "unreadableStart",
            """
            the newest snapshot, with which an opening would begin, if this version cannot decode it: an object with \
            step, message, advice
            """
        ) { $0.report?.unreadableStart?.json ?? .null },
        Key(
            "ofOlderCode",
            "the first \(ReplayReport.limit) differences in the history of older code: objects as divergence"
        ) {
            .list(($0.report?.ofOlderCode ?? []).map(Replayed.json))
        },
        Key("olderSteps", olderStepsMeaning) { .number($0.report?.olderSteps) },
        Key(
            "orphans",
            "the live effects that the code does not return any more, or has no handler for: objects with step, name, "
                + "type (the stored type of the value without a handler, or null) and outcome (what an opening does: "
                + "orphan, it never ends; action, it ends with that of onOrphan; waits, for a decision as before)"
        ) {
            .list(
                ($0.report?.orphans ?? []).map {
                    .object([
                        .init(key: "step", value: .number($0.step)), .init(key: "name", value: .text($0.name)),
                        .init(key: "type", value: .text($0.type)),
                        .init(key: "outcome", value: .text($0.outcome?.rawValue)),
                    ])
                })
        },
        Key(
            "divergence",
            "the first difference: an object with kind, step, lastGood, action, changes; null if there is none"
        ) { $0.report?.divergence.map(Replayed.json) ?? .null },
        Key("error", "why the replay did not finish; null if it did") { .text($0.error?.description) },
    ]

    static let olderStepsMeaning =
        "the number of steps of older versions that an opening reduces again, because no snapshot that it can read "
        + "follows them; at least so many if the replay ended at a difference"

    /// Whether no stored state could be compared: then the records of the steps are all that was.
    var comparedNoState: Bool {
        guard let report else { return false }
        return report.lastStep > report.firstStep && report.snapshots == 0 && report.unreadableSnapshots.isEmpty
    }

    /// Whether the stream needs attention.
    var isTrouble: Bool { !(report?.isFaithful ?? false) }

    private static func json(_ divergence: Divergence) -> JSON {
        .object([
            .init(key: "kind", value: .text(divergence.kind.rawValue)),
            .init(key: "step", value: .number(divergence.step)),
            .init(key: "lastGood", value: .number(divergence.lastGood)),
            .init(key: "action", value: .text(divergence.action)),
            .init(key: "changes", value: .changes(divergence.changes)),
        ])
    }

    /// - Parameter advises: whether to say what to do about a difference.
    func write(to output: Output, advises: Bool) throws {
        let name = "'\(SafeText.escape(stream))'"
        guard let report else {
            return try output.line(
                output.style.problem("Replay failed") + ": \(name). "
                    + output.own(error?.description ?? ""))
        }
        let steps = Quantity.counted(report.lastStep - report.firstStep, "step", "steps")
        let snapshots = Quantity.counted(report.snapshots, "snapshot", "snapshots")
        let records = Quantity.counted(report.records, "record", "records")
        let verdict = report.isFaithful ? "Faithful" : output.style.problem("Not faithful")
        try output.line(
            "\(verdict): \(name), \(steps) replayed in \(Quantity.counted(processes, "process", "processes")), "
                + "\(snapshots) and \(records) compared.")
        if let divergence = report.divergence {
            let whole = advises ? divergence.description : divergence.difference
            for text in whole.split(separator: "\n") {
                try output.line("  " + output.own(String(text)))
            }
        }
        if let start = report.unreadableStart {
            try output.line(
                "  An opening would begin with the snapshot of step \(start.step) of \(name), and cannot read it: "
                    + output.own("\(start.message) \(start.advice)"))
        }
        if let first = report.ofOlderCode.first {
            let listed = Quantity.counted(report.ofOlderCode.count, "difference", "differences")
            let count = report.ofOlderCode.count < ReplayReport.limit ? listed : "At least \(listed)"
            let base =
                report.unreadableStart == nil ? ", which a base replaces now or from the next opening on" : ""
            try output.line("  \(count) from what older code did\(base); the first at step \(first.step).")
        }
        for orphan in report.orphans {
            let cause =
                orphan.type.map {
                    "has no handler for its value, whose stored type is '\(SafeText.escape($0))' (renamed, moved to another "
                        + "module, or without its handler)"
                } ?? "does not return it any more"
            let consequence =
                switch orphan.outcome {
                case .action: "sends its `onOrphan` action"
                case .waits: "lets it wait for a decision as before, and cannot release it"
                default: "leaves it as an orphan, and it never ends"
                }
            try output.line(
                "  The effect '\(SafeText.escape(orphan.name))' of step \(orphan.step) has not ended, and the "
                    + "code \(cause): an opening with this code \(consequence).")
        }
        let others = report.unreadableSnapshots.filter { $0 != report.unreadableStart?.step }
        if !others.isEmpty {
            let steps = others.map(String.init).joined(separator: ", ")
            try output.line("  This version cannot read the snapshot of step \(steps).")
        }
    }
}

extension ReplayReport.UnreadableSnapshot {
    fileprivate var json: JSON {
        .object([
            .init(key: "step", value: .number(step)), .init(key: "message", value: .text(message)),
            .init(key: "advice", value: .text(advice)),
        ])
    }
}
