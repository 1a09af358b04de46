import JournalStore

/// An operator's act as the page sends it.
struct ServedAct: Hashable, Sendable {
    var act: Intervention.Act
    var stream: String
    var step: Int
    /// The effect's ordinal; nil to skip the step.
    var ordinal: Int?
    var reason: String?

    init?(_ body: [UInt8]) {
        guard let text = String(validating: body, as: UTF8.self), let json = JSON(text),
            case .text(let act)? = json["act"], let act = Intervention.Act(rawValue: act),
            case .text(let stream)? = json["stream"], case .number(let step)? = json["step"], let step = Int(step)
        else { return nil }
        (self.act, self.stream, self.step) = (act, stream, step)
        if case .number(let number)? = json["ordinal"] {
            guard let ordinal = Int(number) else { return nil }
            self.ordinal = ordinal
        }
        if case .text(let text)? = json["reason"], !text.isEmpty { reason = text }
        // Only a step can be skipped, and nothing else can be done to one.
        guard (act == .skip) == (ordinal == nil) else { return nil }
    }

    /// The act as planned from what the journal says now.
    func planned(_ reader: JournalReader) throws -> OperatorAct {
        guard let ordinal else { return try OperatorAct(skipping: step, of: stream, reader) }
        guard let run = try reader.effectRun(RunKey(step: step, ordinal: ordinal), in: stream) else {
            throw JournalError(
                .noSuchStep, "There is no such effect.", advice: "Reload the page.", file: reader.file, stream: stream,
                step: step)
        }
        return try OperatorAct(act, on: run, of: stream, reader)
    }
}
