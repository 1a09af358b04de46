import JournalStore

/// The step that a search found, with its entry.
struct FoundStep {
    let step: Int
    /// Whether the steps before it were checked: not if the search begins with it.
    let isFirst: Bool
    /// Whether the search began with it because the entries up to it were pruned.
    private let isBase: Bool
    /// The entry of the first step. Of any other, nothing says that its action is the reason.
    private let entry: EntryRow?

    init(_ step: Int, in range: ClosedRange<Int>, of stream: StreamInfo, _ reader: JournalReader) throws {
        self.step = step
        isFirst = step > range.lowerBound || step == 0
        isBase = !isFirst && step == stream.prunedStep
        guard isFirst else {
            entry = nil
            return
        }
        entry = try reader.entries(in: stream.name, from: step, limit: 1).first { $0.step == step }.map {
            EntryRow($0, StepOutcome())
        }
    }

    /// The action, for JSON.
    var action: JSON { entry?.json.map { .raw($0) } ?? .null }

    /// - Parameters:
    ///   - first: What is true of the first step, after "Step 3 is the first".
    ///   - already: The same before "already at step 3".
    ///   - effort: How many states were checked.
    func write(_ first: String, already: String, _ effort: String, to output: Output) throws {
        guard isFirst else {
            let reason = isBase ? ": the entries up to it were pruned" : ""
            return try output.line("\(already) already at step \(step), where the search begins\(reason) (\(effort)).")
        }
        try output.line("Step \(step) is the first \(first) (\(effort)).")
        if let entry { try output.line("\(entry.entry.time)  " + SafeText.escape(entry.json ?? entry.entry.action)) }
    }

    /// The meaning of its key `first`.
    static let firstMeaning =
        "whether it is the first: false if the search begins with it, so that no step before it was checked; null if "
        + "'step' is null"
}
