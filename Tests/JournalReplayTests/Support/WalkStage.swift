@testable import JournalReplayKit
@testable import JournalStore

/// A walk without a terminal and without a file: its commands work on lists in memory.
struct WalkStage {
    var entries: [Entry]
    var runs: [EffectRun] = []
    /// The outcomes of the steps that were not just reduced.
    var outcomes: [Int: StepOutcome] = [:]
    var states: (any WalkStates)?
    var walk: Walk
    /// The commands that the walk returned since the last call of `wanted()`.
    var commands: [WalkCommand] = []
    var pruned = 0
    private var keys = KeyReader()

    init(
        _ actions: [String], states: (any WalkStates)? = nil, columns: Int = 80, rows: Int = 24, at step: Int? = nil,
        prunedTo pruned: Int = 0
    ) {
        entries = actions.enumerated().map { WalkStage.entry($0 + 1, $1) }.filter { $0.step > pruned }
        self.states = states
        self.pruned = pruned
        walk = Walk(
            file: "shop.db", stream: "cart", hasStates: states != nil, size: ScreenSize(columns: columns, rows: rows))
        obey(Walk.start(at: step))
        commands = []
    }

    /// A stage with `count` steps. The nth action is `{"add":{"n":N}}`.
    static func counter(
        _ count: Int, states: (any WalkStates)? = nil, columns: Int = 80, rows: Int = 24, at step: Int? = nil,
        prunedTo pruned: Int = 0
    ) -> WalkStage {
        WalkStage(
            (0..<count).map { #"{"add":{"n":\#($0 + 1)}}"# }, states: states, columns: columns, rows: rows, at: step,
            prunedTo: pruned)
    }

    /// An entry of 2025, one second after the previous one.
    static func entry(_ step: Int, _ action: String, origin: Origin = .dispatched) -> Entry {
        Entry(
            position: step, stream: "cart", step: step,
            time: Timestamp(microseconds: 1_735_689_600_000_000 + Int64(step) * 1_000_000), origin: origin,
            cause: origin == .dispatched ? nil : Cause(step: 1, run: origin == .effect ? 0 : nil), causeStream: nil,
            version: 1, action: action, cancelID: nil, digest: Digest(high: 1, low: UInt64(step)))
    }

    static func run(_ step: Int, _ ordinal: Int, _ name: String, _ status: EffectRun.Status, error: String? = nil)
        -> EffectRun
    {
        EffectRun(
            stream: StreamID(rawValue: 1), step: step, ordinal: ordinal, rootStep: step, name: name, status: status,
            attempts: ordinal + 1, error: error)
    }

    // MARK: Events

    /// Types a text, as a terminal would send it.
    mutating func type(_ text: String) {
        for key in keys.read(text.utf8) + keys.giveUp() { press(key) }
    }

    mutating func press(_ keys: KeyPress...) {
        for key in keys { happen(.key(key)) }
    }

    mutating func happen(_ event: WalkEvent) {
        obey(walk.handle(event))
    }

    mutating func append(_ actions: String...) {
        for action in actions { entries.append(WalkStage.entry((entries.last?.step ?? 0) + 1, action)) }
    }

    /// The commands since the last call.
    mutating func wanted() -> [WalkCommand] {
        defer { commands = [] }
        return commands
    }

    var selected: Int? { walk.window.selected?.step }
    var screen: String { WalkView(walk: walk).frame.lines.map(\.trimmed).joined(separator: "\n") }
    var lastLine: String { WalkView(walk: walk).frame.lines.last?.trimmed ?? "" }

    // MARK: Executing commands

    private mutating func obey(_ commands: [WalkCommand]) {
        self.commands += commands
        for command in commands {
            switch command {
            case .load(let step): happen(.loaded(window(around: step), around: step))
            case .inspect(let step): happen(detail(of: step).map { .inspected($0) } ?? .missing(step))
            case .ask(let step, let pane):
                if let answer = answer(step, pane) { happen(.answered(answer)) }
            case .look(let step): happen(.looked(info, step.flatMap(detail)))
            case .search(let search): happen(.searched(search, result(of: search)))
            case .ring, .redraw, .suspend, .quit: break
            }
        }
    }

    var info: StreamInfo {
        StreamInfo(
            id: StreamID(rawValue: 1), name: "cart", machine: "cart", created: Timestamp(microseconds: 0),
            headStep: entries.last?.step ?? pruned, headDigest: Digest(high: 0, low: 0), settledStep: 0,
            prunedStep: pruned, seed: [])
    }

    private func window(around step: Int) -> WalkWindow {
        let reach = WalkWindow.reach
        let place = entries.firstIndex { $0.step >= step } ?? entries.count
        let range = max(0, place - reach)..<min(entries.count, place + reach + 1)
        return WalkWindow(
            rows: entries[range].map { WalkRow($0, outcome(of: $0.step)) }, hasStart: range.lowerBound == 0,
            hasEnd: range.upperBound == entries.count)
    }

    private func detail(of step: Int) -> WalkDetail? {
        entries.first { $0.step == step }.map { entry in
            WalkDetail(entry: entry, outcome: outcome(of: step), runs: runs.filter { $0.step == step })
        }
    }

    private func outcome(of step: Int) -> StepOutcome { outcomes[step] ?? StepOutcome(.reduced) }

    private func answer(_ step: Int, _ pane: WalkPane) -> WalkAnswer? {
        guard let states else { return nil }
        do {
            let content: WalkAnswer.Content =
                pane == .changes ? .changes(try states.changes(at: step)) : .state(try states.state(at: step))
            return WalkAnswer(step: step, pane: pane, content: content)
        } catch {
            return WalkAnswer(step: step, pane: pane, content: .failure("\(error)"))
        }
    }

    /// Searches one page, which has three steps here.
    private func result(of search: WalkSearch) -> WalkSearch.Result {
        let rest = entries.filter { search.isBackwards ? $0.step <= search.next : $0.step >= search.next }
        let page = (search.isBackwards ? rest.reversed() : rest).prefix(3)
        func isInState(_ step: Int) -> Bool { (try? states?.state(at: step).contains(search.text)) ?? false }
        for entry in page {
            if entry.action.contains(search.text) { return .found(step: entry.step) }
            if isInState(entry.step), !isInState(entry.step - 1) { return .found(step: entry.step, isInState: true) }
        }
        guard page.count == 3, let last = page.last else { return .end() }
        return .goesOn(from: last.step + (search.isBackwards ? -1 : 1))
    }
}

/// A machine that counts: its state after step 3 is `{"count":3,"steps":[1,2,3]}`.
struct CountingStates: WalkStates {
    struct Failure: Error, CustomStringConvertible {
        var description: String
    }

    /// The step for which it throws.
    var broken: Int?

    func state(at step: Int) throws -> String {
        if step == broken { throw Failure(description: "Step \(step) has no state.\u{1B}[2J") }
        return #"{"count":\#(step),"steps":[\#((1...step).map(String.init).joined(separator: ","))]}"#
    }

    func changes(at step: Int) throws -> [ValueDiff.Change] {
        if step == broken { throw Failure(description: "Step \(step) has no state.") }
        return [
            ValueDiff.Change(path: "count", old: "\(step - 1)", new: "\(step)"),
            ValueDiff.Change(path: "steps[\(step - 1)]", old: nil, new: "\(step)"),
        ]
    }
}

extension StyledLine {
    /// The text without trailing spaces.
    var trimmed: String {
        String(text.reversed().drop { $0 == " " }.reversed())
    }
}
