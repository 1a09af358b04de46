import JournalStore

/// Collects the effects of a page and writes them, a few thousand at a time.
struct PageRuns {
    private static let size = 2_048
    /// A chunk ends early when its texts are long.
    private static let mostBytes = 4 << 20

    private let chunks: PageChunks
    private let runTexts: RunTexts
    private(set) var numbers = RunColumns()
    private(set) var count = 0
    private var columns = PageColumns(RunColumns.width)
    private var texts: [JSON] = []
    private var bytes = 0

    init(_ chunks: PageChunks, _ runTexts: RunTexts) {
        (self.chunks, self.runTexts) = (chunks, runTexts)
    }

    /// Adds those effects that the page shows.
    mutating func add(
        _ page: [(stream: String, run: EffectRun)], of streams: PageStreams
    ) throws(JournalError) {
        var shown: [(number: Int, stream: String, run: EffectRun)] = []
        for (name, run) in page {
            guard let number = streams.number(run.stream), streams.rows[number].shows(run) else { continue }
            shown.append((number, name, run))
        }
        var rest = shown[...]
        while !rest.isEmpty {
            let remembered = try runTexts.remembered(of: rest.map { $0.run })
            for ((number, name, run), steps) in zip(rest, remembered) {
                let made = try runTexts.texts(of: run, in: name, steps)
                try add(run, stream: number, made)
            }
            rest = rest.dropFirst(remembered.count)
        }
    }

    private mutating func add(
        _ run: EffectRun, stream: Int, _ made: (json: JSON, bytes: Int)
    ) throws(JournalError) {
        columns.append(numbers.row(of: run, stream: stream))
        texts.append(made.json)
        count += 1
        bytes += made.bytes
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
