import JournalStore

/// Reports the acts of an operator, and carries them out with `--yes`.
struct OperatorReport {
    private let reader: JournalReader
    private let output: Output
    private let reason: String?
    private let patience: Duration
    /// Whether the acts are carried out, not only reported.
    private let isDone: Bool
    private var leftOut: [JournalError] = []

    var hasLeftOut: Bool { !leftOut.isEmpty }

    init(_ arguments: Arguments, _ reader: JournalReader, _ output: Output) throws(UsageError) {
        if arguments[.yes], arguments[.dryRun] { throw UsageError("'--dry-run' and '--yes' exclude each other.") }
        (self.reader, self.output) = (reader, output)
        reason = try OperatorAct.reason(arguments[OperatorReport.reason])
        patience = OperatorClient.patience(arguments)
        isDone = arguments[.yes]
    }

    /// Notes an effect on which the act is not possible.
    mutating func leaveOut(_ error: JournalError) {
        leftOut.append(error)
    }

    /// One act.
    mutating func carryOut(_ act: OperatorAct) async throws -> ExitCode {
        try await report([act], ending: isDone ? "" : " " + Writing.remark)
        if let error = leftOut.first { throw error }
        return .fine
    }

    /// The same act on several effects.
    mutating func carryOut(_ act: Intervention.Act, _ acts: [OperatorAct]) async throws -> ExitCode {
        let (done, waiting) = try await report(acts, ending: "")
        for error in leftOut.prefix(OperatorReport.mostLeftOut) {
            try output.note("Left out, stream '\(error.stream ?? "")': \(error.message)")
        }
        if leftOut.count > OperatorReport.mostLeftOut {
            let others = leftOut.count - OperatorReport.mostLeftOut
            try output.note("Left out as well: \(Quantity.counted(others, "other", "others")).")
        }
        // A script must notice that nothing was done, or that something is wrong with an effect that has not ended.
        let isWrong = leftOut.contains { $0.code != .notInThatState && $0.code != .noSuchStep }
        let code: ExitCode = isWrong || done == 0 && hasLeftOut ? .failed : .fine
        guard !output.isJSON else { return code }
        let count = Quantity.counted(done, "effect", "effects")
        let remark = done == 0 ? "" : " " + Writing.remark
        let later = waiting == 0 ? "" : ", \(Quantity.grouped(waiting)) of them at the next opening"
        try output.line(isDone ? "\(act.past) \(count)\(later)." : "Would \(act.rawValue) \(count).\(remark)")
        return code
    }

    /// - Returns: how many acts were done, or would be, and how many of them the next opening completes.
    @discardableResult
    private mutating func report(
        _ acts: [OperatorAct], ending: String
    ) async throws -> (done: Int, waiting: Int) {
        let (reader, output, isDone, patience) = (reader, output, isDone, patience)
        func show(_ act: OperatorAct) throws(Output.Failure) {
            if output.isJSON {
                try output.object((file: reader.file ?? "", act: act, isDone: isDone), OperatorReport.keys)
            } else {
                try output.line(act.sentence(isDone: isDone) + ending)
            }
        }
        if isDone {
            var failures: [JournalError] = []
            var (finished, waiting) = (0, 0)
            var unwritten: Output.Failure?
            do {
                // All acts are done, even if the report is not read to its end: `… | head` closes the pipe.
                try await System.survivingClosedPipe {
                    try await Operator(reader: reader, patience: patience).carryOut(acts, reason: reason) {
                        act, error in
                        finished += 1
                        if let error { failures.append(error) }
                        if act.waitsForOpening { waiting += 1 }
                        guard error == nil, unwritten == nil else { return }
                        do throws(Output.Failure) {
                            try show(act)
                            // At once: a later act can take long, or fail.
                            try output.flush()
                        } catch {
                            unwritten = error
                        }
                    }
                }
            } catch {
                // The error is that of one act, and can say that nothing was written, or that it must not be repeated.
                if acts.count > 1 {
                    let all = Quantity.counted(acts.count, "effect", "effects")
                    output.warning(
                        finished > 0
                            ? "Stopped after \(Quantity.grouped(finished)) of \(all): those stay as they are now."
                            : "Stopped at the first of \(all): nothing was done to the others.")
                }
                throw error
            }
            leftOut += failures
            if let unwritten { throw unwritten }
            return (acts.count - failures.count, waiting)
        } else {
            for act in acts { try show(act) }
            return (acts.count, 0)
        }
    }

    private static let mostLeftOut = 10

    static let trace = " Each act is recorded in the journal: `interventions` lists them."
    static let reason = Option<String>.text("reason", "TEXT", help: "The reason, which is recorded.")

    static let keys: [Key<(file: String, act: OperatorAct, isDone: Bool)>] = [
        Key("file", "the journal") { .text($0.file) },
        Key("stream", "the stream") { .text($0.act.stream) },
        Key("act", "cancel, retry, release or skip") { .text($0.act.act.rawValue) },
        Key("step", "the step, or the step of the effect") { .number($0.act.step) },
        Key("ordinal", "the effect's ordinal among those of the step; null for a step") { .number($0.act.ordinal) },
        Key("name", "the name of the effect, or of the action; null if it has none") { .text($0.act.name) },
        Key("before", "the effect's previous status") { .text($0.act.before?.rawValue) },
        Key("done", "whether it was done; false without --yes") { .bool($0.isDone) },
        Key("waitsForOpening", "whether the next opening completes it and sends its cancel action; false without --yes")
        {
            .bool($0.act.waitsForOpening)
        },
    ]
}
