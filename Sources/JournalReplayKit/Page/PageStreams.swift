import JournalStore

/// The streams of a page: their numbers in it, and which of their steps it holds.
struct PageStreams {
    struct Row {
        let info: StreamInfo
        /// The first and the last step in the page; 0 if it has none.
        var first = 0
        var last = 0
        var steps = 0
        /// The steps with states, and why there are no others.
        var states: ClosedRange<Int>?
        var statesNote: String?
    }

    private(set) var rows: [Row]
    private let numbers: [String: Int]
    private let numbersByID: [StreamID: Int]

    init(_ streams: [StreamInfo]) {
        rows = streams.map { Row(info: $0) }
        numbers = Dictionary(zip(streams.map(\.name), streams.indices), uniquingKeysWith: { first, _ in first })
        numbersByID = Dictionary(zip(streams.map(\.id), streams.indices), uniquingKeysWith: { first, _ in first })
    }

    func number(_ name: String) -> Int? { numbers[name] }
    func number(_ id: StreamID) -> Int? { numbersByID[id] }

    /// Notes that a step is in the page.
    mutating func add(_ step: Int, of number: Int) {
        if rows[number].first == 0 { rows[number].first = step }
        rows[number].last = step
        rows[number].steps += 1
    }

    mutating func setStates(_ steps: ClosedRange<Int>?, note: String?, of number: Int) {
        (rows[number].states, rows[number].statesNote) = (steps, note)
    }
}
