import JournalStore

/// Reads the transitions of streams: the node before each step, its action, and the node after it.
struct TransitionReading {
    let reader: JournalReader
    let machines: Machines
    let path: StatePath
    private(set) var tally: TransitionTally
    /// The machines of all streams of the diagram.
    private let names: [String]
    /// Whether a state was read.
    private(set) var hasState = false
    /// Whether a state has a part at the path.
    private(set) var hasPart = false

    /// - Parameters:
    ///   - names: the machines of all streams of the diagram.
    ///   - tally: what was counted before.
    init(reader: JournalReader, machines: Machines, names: [String], path: StatePath, tally: TransitionTally) {
        (self.reader, self.machines, self.names) = (reader, machines, names)
        (self.path, self.tally) = (path, tally)
    }

    mutating func read(_ stream: StreamInfo) throws {
        let last = try reader.decidedStep(of: stream)
        guard last > stream.prunedStep else { return }
        var page = StepPages(reader: reader, stream: stream.name)
        var place: (node: String, entered: Timestamp?)?
        let session = try machines.session(on: stream.name, reader)
        let refused = try unrecordedRefusals(of: stream, upTo: last, session)
        try session.states(stream.prunedStep...last) { step, text in
            let node = try node(of: text, stream.name, step)
            guard let (before, entered) = place else {
                // The step that led to the node of a base was pruned, and its time with it.
                place = (node, stream.prunedStep == 0 ? stream.created : nil)
                return true
            }
            guard let (entry, outcome) = try page.step(step) else { return false }
            // A skipped or cancelled action did not count.
            if outcome != .skipped, outcome != .cancelled {
                let action = ActionName.of(entry.action) ?? "action"
                let isRefused = outcome == .rejected || refused.contains(step)
                tally.add(
                    .init(from: before, to: node, action: action, isRefused: isRefused), at: entry.time, since: entered)
            }
            if tally.nodes.count > TransitionTally.mostNodes { throw tooManyNodes }
            if node != before { place = (node, entry.time) }
            return true
        }
    }

    /// The steps that the reducer rejects, of those whose outcome is not recorded yet.
    private func unrecordedRefusals(
        of stream: StreamInfo, upTo last: Int, _ session: any ReplaySession
    ) throws -> Set<Int> {
        let settled = max(stream.settledStep, stream.prunedStep)
        guard last > settled else { return [] }
        return Set(try (settled + 1...last).filter { try session.step($0).rejection != nil })
    }

    private mutating func node(of text: String, _ stream: String, _ step: Int) throws -> String {
        guard let state = JSON(text) else {
            throw JournalError(
                .badArgument, "The state is not JSON, so no diagram can be drawn.", file: reader.file, stream: stream,
                step: step)
        }
        hasState = true
        guard let part = path.part(of: state) else { return "none" }
        hasPart = true
        if let name = DiagramNode.name(of: part) { return name }
        guard case .object(let members) = part else {
            throw UsageError("'\(path)' is a list, and a node of a diagram is a short value: choose another '--path'.")
        }
        let place = path.steps.isEmpty ? "The state" : "'\(path)'"
        guard !members.isEmpty else {
            throw JournalError(
                .badArgument, "\(place) is empty after this step.",
                advice: "Choose a part to draw with '--path'; `journal-replay state` shows the parts.",
                file: reader.file, stream: stream, step: step)
        }
        let keys = members.prefix(8).map(\.key).joined(separator: ", ")
        throw UsageError("\(place) has parts: choose the one to draw with '--path': \(keys).")
    }

    private var tooManyNodes: UsageError {
        let list = names.prefix(8).map { SafeText.escape($0) }.joined(separator: ", ") + (names.count > 8 ? ", …" : "")
        let others = names.count > 1 ? ", or one machine with '--of': \(list)" : ""
        return UsageError(
            "There are more than \(TransitionTally.mostNodes) different values: choose a '--path' with fewer, "
                + "such as a status\(others).")
    }
}

/// The entries of a stream with their recorded outcomes, a page at a time.
private struct StepPages {
    let reader: JournalReader
    let stream: String
    private var entries: ArraySlice<Entry> = []
    private var outcomes: [Int: StepRecord.Outcome] = [:]

    init(reader: JournalReader, stream: String) {
        (self.reader, self.stream) = (reader, stream)
    }

    /// Steps must be requested in ascending order.
    mutating func step(_ step: Int) throws(JournalError) -> (Entry, StepRecord.Outcome?)? {
        if entries.isEmpty {
            entries = try reader.page(in: stream, from: step, limit: EntryPages.size)[...]
            let end = entries.last?.step ?? step
            let records = try reader.stepRecords(of: stream, from: step, through: end)
            outcomes = Dictionary(records.map { ($0.step, $0.outcome) }, uniquingKeysWith: { first, _ in first })
        }
        guard let entry = entries.popFirst(), entry.step == step else { return nil }
        return (entry, outcomes[step])
    }
}
