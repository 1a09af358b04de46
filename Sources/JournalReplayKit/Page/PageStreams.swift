import JournalStore

/// The streams of a page: their numbers in it, and which of their steps it holds.
struct PageStreams: Sendable {
    struct Row: Sendable {
        var info: StreamInfo
        /// The first and the last step in the page; 0 if it has none.
        var first = 0
        var last = 0
        var steps = 0
        /// How many of its newest steps were committed after the last one that the page may have.
        var late = 0
        /// The steps with states, and why there are no others.
        var states: ClosedRange<Int>?
        var statesNote: String?

        /// Whether the page shows an effect: without its step, only if the effect has not ended. The initial effect belongs
        /// to the beginning of the stream.
        func shows(_ run: EffectRun) -> Bool {
            if !run.status.isFinal { return true }
            if run.step == 0 { return info.headStep == 0 || steps > 0 && first <= info.prunedStep + 1 }
            return steps > 0 && first <= run.step && run.step <= last
        }
    }

    private(set) var rows: [Row]
    private var numbers: [ByteName: Int]
    private var numbersByID: [StreamID: Int]

    init(_ streams: [StreamInfo]) {
        rows = streams.map { Row(info: $0) }
        let names = streams.map { ByteName($0.name) }
        numbers = Dictionary(zip(names, streams.indices), uniquingKeysWith: { first, _ in first })
        numbersByID = Dictionary(zip(streams.map(\.id), streams.indices), uniquingKeysWith: { first, _ in first })
    }

    /// How many steps the page leaves out because they are too old.
    var omitted: Int {
        rows.reduce(0) { omitted, row in
            omitted + max(0, (row.first > 0 ? row.first - 1 : row.info.headStep - row.late) - row.info.prunedStep)
        }
    }

    /// How many of the newest steps of a stream were committed after the last one that the page may have.
    ///
    /// - Parameters:
    ///   - last: the position of that one.
    ///   - position: the position of a step's entry; nil if it cannot be read.
    static func late(of stream: StreamInfo, after last: Int, _ position: (_ step: Int) -> Int?) -> Int {
        var late = 0
        while stream.headStep - late > stream.prunedStep, let position = position(stream.headStep - late),
            position > last
        {
            late += 1
        }
        return late
    }

    func number(_ name: String) -> Int? { numbers[ByteName(name)] }
    func number(_ id: StreamID) -> Int? { numbersByID[id] }

    /// Adds a stream that was created later.
    mutating func append(_ stream: StreamInfo) {
        (numbers[ByteName(stream.name)], numbersByID[stream.id]) = (rows.count, rows.count)
        rows.append(Row(info: stream))
    }

    /// Replaces what is known of a stream.
    mutating func set(_ info: StreamInfo, of number: Int) {
        rows[number].info = info
    }

    /// Notes that a step is in the page.
    mutating func add(_ step: Int, of number: Int) {
        // In a damaged file, positions need not be in the order of the steps.
        rows[number].first = rows[number].steps == 0 ? step : min(rows[number].first, step)
        rows[number].last = max(rows[number].last, step)
        rows[number].steps += 1
    }

    mutating func setLate(_ steps: Int, of number: Int) {
        rows[number].late = steps
    }

    mutating func setStates(_ steps: ClosedRange<Int>?, note: String?, of number: Int) {
        (rows[number].states, rows[number].statesNote) = (steps, note)
    }
}
