import JournalStore

/// Collects the steps of a page and writes them, a few thousand at a time.
struct PageSteps {
    private static let size = 4_096
    /// A chunk ends early when its texts are long.
    private static let mostBytes = 4 << 20

    private let chunks: PageChunks
    private let redaction: Redaction
    private(set) var names = PageNames()
    private(set) var histogram = TimeHistogram()
    private(set) var count = 0
    private(set) var firstTime: Int64?
    private(set) var lastTime: Int64 = 0
    private var columns = PageColumns(9)
    private var actions: [JSON] = []
    /// The other texts of the steps that have any, by their place in the chunk.
    private var others: [JSON.Member] = []
    private var bytes = 0
    private var time: Int64 = 0
    /// The newest step of each stream.
    private var steps: [Int: Int] = [:]

    init(_ chunks: PageChunks, _ redaction: Redaction) {
        (self.chunks, self.redaction) = (chunks, redaction)
    }

    /// Adds a step.
    ///
    /// - Parameters:
    ///   - sender: the number of the stream that caused it, if that is another one.
    ///   - isSettled: whether the outcome of the step is recorded, if only by the absence of a record.
    mutating func add(
        _ entry: Entry, stream: Int, sender: Int?, _ record: StepRecord?, isSettled: Bool
    ) throws(JournalError) {
        let action = redaction.json(entry.action)
        let outcome: Int64 =
            switch record?.outcome {
            case .reduced: 1
            case .rejected: 2
            case .skipped: 3
            case nil: isSettled ? 1 : 0
            }
        let now = entry.time.microseconds
        columns.append([
            Int64(stream), Int64(entry.step - (steps[stream] ?? 0) - 1), now &- time,
            Int64(names.number(of: ActionName.of(action))), Int64(entry.origin.rawValue), outcome,
            // 0 means none.
            Int64(entry.causeStep.map { $0 + 1 } ?? 0), Int64(entry.causeRun.map { $0 + 1 } ?? 0),
            Int64(sender.map { $0 + 1 } ?? 0),
        ])
        (steps[stream], time) = (entry.step, now)
        histogram.add(now)
        firstTime = min(firstTime ?? now, now)
        lastTime = count == 0 ? now : max(lastTime, now)
        let other = texts(of: entry, record)
        if !other.isEmpty { others.append(JSON.Member(key: String(actions.count), value: .object(other))) }
        actions.append(.text(action))
        count += 1
        bytes += action.utf8.count + (record?.cascade?.utf8.count ?? 0)
        if actions.count == PageSteps.size || bytes > PageSteps.mostBytes { try flush() }
    }

    private func texts(of entry: Entry, _ record: StepRecord?) -> [JSON.Member] {
        var texts: [JSON.Member] = []
        func add(_ key: String, _ text: String?) {
            if let text { texts.append(JSON.Member(key: key, value: .text(text))) }
        }
        add("reason", redaction.prose(record?.reason))
        add("cascade", record?.cascade.map(redaction.json))
        if entry.version != 1 { texts.append(JSON.Member(key: "version", value: .number(entry.version))) }
        return texts
    }

    mutating func flush() throws(JournalError) {
        guard !actions.isEmpty else { return }
        try chunks.add(.steps, columns.take())
        let texts = JSON.object([
            JSON.Member(key: "actions", value: .list(actions)), JSON.Member(key: "others", value: .object(others)),
        ])
        try chunks.add(.texts, Array(texts.json.utf8))
        actions.removeAll(keepingCapacity: true)
        others.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
