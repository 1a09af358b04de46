import JournalStore

/// Writes the states of streams: a whole state now and then, and between them what each step changed.
struct PageStates {
    /// How many steps lie between two whole states: a page shows any of them after applying the changes before it.
    private static let size = 128
    /// A chunk ends early when its states are long.
    private static let mostBytes = 1 << 20

    private let chunks: PageChunks
    private let options: PageOptions
    private var stream = 0
    private var first = 0
    private var whole: JSON?
    private var before = JSON.null
    private var deltas: [JSON] = []
    private var bytes = 0

    init(_ chunks: PageChunks, _ options: PageOptions) {
        (self.chunks, self.options) = (chunks, options)
    }

    /// Adds the states of a stream.
    ///
    /// - Returns: the last step whose state was added, and why the next one could not be computed.
    mutating func add(
        _ session: any ReplaySession, stream number: Int, _ steps: ClosedRange<Int>
    ) throws -> (last: Int?, problem: String?) {
        var last: Int?
        do {
            try session.states(steps) { step, text in
                try add(text, step, of: number)
                last = step
                return true
            }
            try flush()
            return (last, nil)
        } catch let error as JournalError where error.isOfReplay {
            try flush()
            // Without the file: its path tells about the machine that the page was made on.
            return (last, options.tool.inCommands(of: error.sentences))
        }
    }

    private mutating func add(_ text: String, _ step: Int, of number: Int) throws(JournalError) {
        let state = options.redaction.value(of: text)
        if whole == nil {
            (stream, first, whole) = (number, step, state)
            bytes = text.utf8.count
        } else {
            let delta = JSON.list(StateDelta(from: before, to: state).operations)
            deltas.append(delta)
            bytes += delta.json.utf8.count
        }
        before = state
        if deltas.count + 1 == PageStates.size || bytes > PageStates.mostBytes { try flush() }
    }

    private mutating func flush() throws(JournalError) {
        guard let whole else { return }
        let chunk = JSON.list([whole, .list(deltas)])
        try chunks.add(.states, Array(chunk.json.utf8), note: "\(stream) \(first) \(deltas.count + 1)")
        self.whole = nil
        deltas.removeAll(keepingCapacity: true)
    }
}
