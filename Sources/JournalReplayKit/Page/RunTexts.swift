import JournalStore

/// Makes the texts of a page's effects.
struct RunTexts {
    let redaction: Redaction

    /// - Parameter attempts: what is recorded of them, if there were several.
    func json(
        of run: EffectRun, _ attempts: [EffectAttempt], _ remembered: ArraySlice<RememberedStep>
    ) -> JSON {
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
        if !remembered.isEmpty {
            let steps = remembered.map { step in
                JSON.list([.text(step.path), .text(step.name), .number(step.use), .text(redaction.json(step.result))])
            }
            texts.append(JSON.Member(key: "remembered", value: .list(steps)))
        }
        return .object(texts)
    }
}
