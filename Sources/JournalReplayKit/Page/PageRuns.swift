import JournalStore

/// Collects the effects of a page and writes them, a few thousand at a time.
struct PageRuns {
    private static let size = 2_048
    /// A chunk ends early when its texts are long.
    private static let mostBytes = 4 << 20

    private let chunks: PageChunks
    private let redaction: Redaction
    private(set) var names = PageNames()
    private(set) var count = 0
    /// When bodies were started again because their process had ended; only so many, which a time line can show.
    private(set) var resumptions: Set<Int64> = []
    private static let mostResumptions = 10_000
    private var columns = PageColumns(14)
    private var texts: [JSON] = []
    private var bytes = 0

    init(_ chunks: PageChunks, _ redaction: Redaction) {
        (self.chunks, self.redaction) = (chunks, redaction)
    }

    /// - Parameter attempts: what is recorded of them, if there were several.
    mutating func add(
        _ run: EffectRun, stream: Int, _ attempts: [EffectAttempt], _ remembered: ArraySlice<RememberedStep>
    ) throws(JournalError) {
        func time(_ value: Timestamp?) -> [Int64] {
            // The first says whether there is a time.
            value.map { [1, $0.microseconds] } ?? [0, 0]
        }
        columns.append(
            [
                Int64(stream), Int64(run.step), Int64(run.ordinal), Int64(names.number(of: run.name)),
                Int64(EffectRun.Status.allCases.firstIndex(of: run.status) ?? 0), Int64(run.attempts),
                Int64(run.failures), Int64(run.delivered),
            ] + time(run.notBefore) + time(run.started) + time(run.ended))
        texts.append(.object(text(of: run, attempts, remembered)))
        note(attempts)
        count += 1
        bytes += (run.described?.utf8.count ?? 0) + remembered.reduce(0) { $0 + $1.result.utf8.count }
        if texts.count == PageRuns.size || bytes > PageRuns.mostBytes { try flush() }
    }

    /// An attempt without an end was cut off if another one followed.
    private mutating func note(_ attempts: [EffectAttempt]) {
        for (attempt, next) in zip(attempts, attempts.dropFirst()) where attempt.ended == nil {
            guard let started = next.started, resumptions.count < PageRuns.mostResumptions else { continue }
            resumptions.insert(started.microseconds)
        }
    }

    private func text(
        of run: EffectRun, _ attempts: [EffectAttempt], _ remembered: ArraySlice<RememberedStep>
    ) -> [JSON.Member] {
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
        return texts
    }

    mutating func flush() throws(JournalError) {
        guard !texts.isEmpty else { return }
        try chunks.add(.runs, columns.take())
        try chunks.add(.runTexts, Array(JSON.list(texts).json.utf8))
        texts.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
