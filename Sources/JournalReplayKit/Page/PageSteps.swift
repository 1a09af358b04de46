import JournalStore

/// Collects the steps of a page and writes them, a few thousand at a time.
struct PageSteps {
    private static let size = 4_096
    /// A chunk ends early when its texts are long.
    private static let mostBytes = 4 << 20

    private let chunks: PageChunks
    private let redaction: Redaction
    private(set) var columns = StepColumns()
    private var texts: StepTexts

    init(_ chunks: PageChunks, _ redaction: Redaction) {
        (self.chunks, self.redaction, texts) = (chunks, redaction, StepTexts(redaction))
    }

    /// Adds a step.
    ///
    /// - Parameters:
    ///   - sender: the number of the stream that caused it, if that is another one; -1 if the page does not have that.
    ///   - isSettled: whether the outcome of the step is recorded, if only by the absence of a record.
    mutating func add(
        _ entry: Entry, stream: Int, sender: Int?, _ record: StepRecord?, isSettled: Bool
    ) throws(JournalError) {
        let action = redaction.json(entry.action)
        columns.add(
            entry, stream: stream, sender: sender, action: action, PageOutcome(record, isSettled: isSettled))
        texts.add(entry, action: action, record)
        if texts.count == PageSteps.size || texts.bytes > PageSteps.mostBytes { try flush() }
    }

    mutating func flush() throws(JournalError) {
        guard texts.count > 0 else { return }
        try chunks.add(.steps, columns.take())
        try chunks.add(.texts, texts.take())
    }
}
