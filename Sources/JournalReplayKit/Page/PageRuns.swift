import JournalStore

/// Collects the effects of a page and writes them, a few thousand at a time.
struct PageRuns {
    private static let size = 2_048
    /// A chunk ends early when its texts are long.
    private static let mostBytes = 4 << 20

    private let chunks: PageChunks
    private let makeTexts: RunTexts
    private(set) var numbers = RunColumns()
    private(set) var count = 0
    private var columns = PageColumns(RunColumns.width)
    private var texts: [JSON] = []
    private var bytes = 0

    init(_ chunks: PageChunks, _ redaction: Redaction) {
        (self.chunks, makeTexts) = (chunks, RunTexts(redaction: redaction))
    }

    /// - Parameter attempts: what is recorded of them, if there were several.
    mutating func add(
        _ run: EffectRun, stream: Int, _ attempts: [EffectAttempt], _ remembered: ArraySlice<RememberedStep>
    ) throws(JournalError) {
        columns.append(numbers.row(of: run, stream: stream))
        texts.append(makeTexts.json(of: run, attempts, remembered))
        count += 1
        bytes += (run.described?.utf8.count ?? 0) + remembered.reduce(0) { $0 + $1.result.utf8.count }
        if texts.count == PageRuns.size || bytes > PageRuns.mostBytes { try flush() }
    }

    mutating func flush() throws(JournalError) {
        guard !texts.isEmpty else { return }
        try chunks.add(.runs, columns.take())
        try chunks.add(.runTexts, Array(JSON.list(texts).json.utf8))
        texts.removeAll(keepingCapacity: true)
        bytes = 0
    }
}
