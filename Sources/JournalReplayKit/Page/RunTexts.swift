import JournalStore

/// Makes the texts of a page's effects.
struct RunTexts {
    /// The most remembered steps of an effect that a page shows. `effects show` prints all of them.
    static let mostSteps = 1_000
    /// No further remembered step of an effect is shown when their results are as long as this.
    static let mostBytes = 1 << 20

    let reader: JournalReader
    let redaction: Redaction
    /// Whether the acts that are possible are listed: only a live page carries them out.
    var listsActs = false

    /// Reads what a page shows of the remembered steps of effects: of the first one, and of some of those after it.
    func remembered(of runs: [EffectRun], bytes: Int = RunTexts.mostBytes) throws(JournalError) -> [RememberedPage] {
        try reader.remembered(of: runs, limit: RunTexts.mostSteps, bytes: min(bytes, RunTexts.mostBytes))
    }

    /// - Parameter stream: the name of its stream.
    /// - Returns: the texts, and about how long they are.
    func texts(
        of run: EffectRun, in stream: String, _ remembered: RememberedPage
    ) throws(JournalError) -> (json: JSON, bytes: Int) {
        // One attempt has no record of its own.
        let attempts = run.attempts > 1 ? try reader.attempts(of: stream, step: run.step, ordinal: run.ordinal) : []
        let bytes = attempts.reduce(run.textBytes + remembered.bytes) { $0 + ($1.error?.utf8.count ?? 0) }
        return (json(of: run, attempts, remembered), bytes)
    }

    /// - Parameter attempts: what is recorded of them, if there were several.
    private func json(of run: EffectRun, _ attempts: [EffectAttempt], _ remembered: RememberedPage) -> JSON {
        var texts = [
            JSON.Member(key: "restart", value: .text(run.restart.rawValue)),
            JSON.Member(key: "root", value: .number(run.rootStep)),
        ]
        func add(_ key: String, _ text: String?) {
            if let text { texts.append(JSON.Member(key: key, value: .text(text))) }
        }
        add("id", redaction.id(run.effectIDText))
        add("queue", redaction.id(run.queueText))
        add("retry", run.retryText)
        add("error", redaction.prose(run.error))
        add("value", run.described.map(redaction.json))
        add("sends", run.sends.map(redaction.json))
        add("onRestart", run.onRestart.map(redaction.json))
        add("onFailure", run.onFailure.map(redaction.json))
        add("onCancel", run.onCancel.map(redaction.json))
        if !attempts.isEmpty {
            let rows = attempts.map { attempt in
                JSON.list([
                    .number(attempt.number), attempt.started.map { .number($0.microseconds) } ?? .null,
                    attempt.ended.map { .number($0.microseconds) } ?? .null, .text(redaction.prose(attempt.error)),
                ])
            }
            texts.append(JSON.Member(key: "attempts", value: .list(rows)))
        }
        if !remembered.steps.isEmpty {
            let steps = remembered.steps.map { step in
                JSON.list([.text(step.path), .text(step.name), .number(step.use), .text(redaction.json(step.result))])
            }
            texts.append(JSON.Member(key: "remembered", value: .list(steps)))
        }
        if listsActs {
            let acts = run.possibleActs.map { JSON.text($0.rawValue) }
            texts.append(JSON.Member(key: "acts", value: .list(acts)))
        }
        if remembered.hasMore { texts.append(JSON.Member(key: "moreRemembered", value: .bool(true))) }
        return .object(texts)
    }
}
