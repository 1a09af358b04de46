import JournalStore

/// The numbers of a page's steps: when, where and how each was committed. The texts are in ``StepTexts``.
struct StepColumns: Sendable {
    private(set) var names = PageNames()
    private(set) var histogram = TimeHistogram()
    /// All steps, also those that were taken.
    private(set) var count = 0
    private(set) var firstTime: Int64?
    private(set) var lastTime: Int64 = 0
    private var columns = PageColumns(9)
    private var time: Int64 = 0
    /// The newest step of each stream.
    private var steps: [Int: Int] = [:]

    /// The steps that were added since the last ``take()``.
    var waiting: Int { columns.count }

    /// Adds a step.
    ///
    /// - Parameters:
    ///   - sender: the number of the stream that caused it, if that is another one; -1 if the page does not have that.
    ///   - action: the action, without what is left out.
    mutating func add(_ entry: Entry, stream: Int, sender: Int?, action: String, _ outcome: PageOutcome) {
        let now = entry.time.microseconds
        columns.append([
            Int64(stream), Int64(entry.step - (steps[stream] ?? 0) - 1), now &- time,
            Int64(names.number(of: ActionName.of(action))), Int64(entry.origin.rawValue), Int64(outcome.rawValue),
            // 0 means none.
            Int64(entry.causeStep.map { $0 + 1 } ?? 0), Int64(entry.causeOrdinal.map { $0 + 1 } ?? 0),
            Int64(sender.map { $0 < 0 ? $0 : $0 + 1 } ?? 0),
        ])
        (steps[stream], time) = (entry.step, now)
        histogram.add(now)
        firstTime = min(firstTime ?? now, now)
        lastTime = count == 0 ? now : max(lastTime, now)
        count += 1
    }

    /// The columns of the steps since the last call. Those of a later call continue them.
    mutating func take() -> [UInt8] { columns.take() }
}

/// The outcome of a step, as a number in a page.
enum PageOutcome: UInt8, Sendable {
    case unknown, reduced, rejected, skipped, cancelled

    /// - Parameter isSettled: whether the outcome of the step is recorded, if only by the absence of a record.
    init(_ record: StepRecord?, isSettled: Bool) {
        switch record?.outcome {
        case .reduced: self = .reduced
        case .rejected: self = .rejected
        case .skipped: self = .skipped
        case .cancelled: self = .cancelled
        case nil: self = isSettled ? .reduced : .unknown
        }
    }
}
