import JournalStore

/// What goes into a page.
struct PageOptions: Sendable {
    /// How many steps have states.
    enum States: Hashable, Sendable {
        case none
        case newest(Int)
        case all
    }

    static let newest = Option<Int>.count(
        "last", short: "n", "N", help: "Only the newest N steps; by default \(Quantity.grouped(mostSteps)).")

    /// The streams; empty for all.
    var streams: Set<ByteName> = []
    /// How many of the newest steps.
    var last = PageOptions.mostSteps
    var states = States.newest(PageOptions.usualStates)
    var redaction = Redaction([])
    /// Named where a page tells what to type.
    var tool = ToolName.standard

    /// More steps than this have to be asked for: a browser needs about 100 MB of memory for them.
    static let mostSteps = 1_000_000
    /// How many of the newest steps have states, unless another number is asked for.
    static let usualStates = 10_000

    /// Whether the page has a stream of this name.
    func hasStream(_ name: String) -> Bool { streams.isEmpty || streams.contains(ByteName(name)) }

    /// The oldest of the newest steps of a stream that a page holds.
    func firstStep(_ reader: JournalReader, of stream: StreamInfo) throws(JournalError) -> Int {
        guard stream.headStep > last else { return 1 }
        return try EntryPages.start(ofLast: last, reader, in: stream.name) { $0 }
    }

    /// The position of the oldest of the newest steps that a page holds.
    ///
    /// - Parameter isWanted: whether the page has a stream.
    func firstPosition(
        _ reader: JournalReader, upTo last: Int, _ isWanted: (_ stream: String) -> Bool
    ) throws(JournalError) -> Int {
        guard last > self.last else { return 1 }
        return try EntryPages.start(ofLast: self.last, reader, in: nil, upTo: last) { entries in
            entries.filter { isWanted($0.stream) }
        }
    }
}
