import JournalStore

/// An act of an operator on an effect or a step, as planned from what the journal says.
struct OperatorAct: Hashable, Sendable {
    var act: Intervention.Act
    var stream: String
    var step: Int
    /// The effect's ordinal; nil if the act concerns the step itself.
    var ordinal: Int?
    /// The name of the effect, or of the step's action; nil if that has none.
    var name: String?
    /// The effect's status before the act.
    var before: EffectRun.Status?
    /// Whether it is an effect that failed before an attempt.
    var couldNotStart = false
    /// Whether it may run in the app that has the journal open, which refuses to retry it then.
    var mayRun = false
    /// Whether a cancelled effect has a cancel action, which the next opening of its stream sends.
    var waitsForOpening = false

    private static let longestReason = 10_000

    /// The reason as an operator gave it; nil if it is empty.
    static func reason(_ text: String?) throws(UsageError) -> String? {
        guard let text, !text.isEmpty else { return nil }
        guard text.utf8.count <= longestReason else {
            throw UsageError("The reason is longer than \(Quantity.grouped(longestReason)) bytes.")
        }
        return text
    }

    /// - Throws: ``JournalError`` if the act is not possible.
    init(
        _ act: Intervention.Act, on run: EffectRun, of stream: String, _ reader: JournalReader
    ) throws(JournalError) {
        func isHeld() throws(JournalError) -> Bool {
            try reader.file.flatMap { file throws(JournalError) in try JournalHolder(of: file) } != nil
        }
        let recorded = try reader.recordedRun(run.key, in: stream)
        try recorded.after(act, at: .now(), file: reader.file, stream: stream, isHeld: isHeld)
        if act == .retry, run.status == .running { mayRun = try isHeld() }
        (self.act, self.stream, step, ordinal) = (act, stream, run.step, run.ordinal)
        (name, before, couldNotStart) = (run.name, run.status, run.couldNotStart)
    }

    /// - Throws: ``JournalError`` if the step cannot be skipped.
    init(skipping step: Int, of stream: String, _ reader: JournalReader) throws(JournalError) {
        let record = try reader.stepRecords(of: stream, from: step, through: step).first
        try reader.stream(stream).checkSkip(of: step, record: record, file: reader.file)
        let entry = try reader.entries(in: stream, from: step, limit: 1).first { $0.step == step }
        (act, self.stream, self.step) = (.skip, stream, step)
        name = entry.flatMap { EntryRow.name(of: $0.action) }
    }

    /// `effect 2.1 'mail' (running) of the stream 'cart-1'`
    private var object: String {
        let quoted = name.map { " '\(SafeText.escape($0))'" } ?? ""
        let what =
            ordinal.map { ordinal in
                let key = RunKey(step: step, ordinal: ordinal)
                return "effect \(key)\(quoted) (\(before?.rawValue ?? ""))"
            } ?? "step \(step)\(quoted)"
        return "\(what) of the stream '\(SafeText.escape(stream))'"
    }

    func sentence(isDone: Bool) -> String {
        let remark =
            act == .retry && couldNotStart
            ? " It could not start, and fails again unless the cause that its error names was removed." : ""
        guard isDone else {
            let condition = mayRun ? " The app that has the journal open refuses this if the effect runs there." : ""
            return "Would \(act.rawValue) \(object).\(remark)\(condition)"
        }
        let past =
            waitsForOpening ? "Will be cancelled at the next opening, which sends its cancel action:" : act.past
        return "\(past) \(object).\(remark)"
    }
}

extension Intervention.Act {
    /// The beginning of a sentence about what was done.
    var past: String {
        switch self {
        case .cancel: "Cancelled"
        case .retry: "Will run again:"
        case .release: "Released"
        case .skip: "Skipped"
        }
    }

    /// The statuses that a bulk act selects if none is given.
    var usual: Set<EffectRun.Status> {
        switch self {
        case .cancel: .live
        case .retry: [.failed]
        case .release: [.asked, .parked]
        case .skip: []
        }
    }
}

extension Set<EffectRun.Status> {
    /// The statuses of effects that have not ended.
    static let live = Set(EffectRun.Status.allCases.filter { !$0.isFinal })
}
