public import JournalStore

/// A machine that the tool can replay, with an environment for its reducer.
///
/// ```swift
/// let tool = ReplayTool(machines: [ReplayMachine(cart, environment: .stub), ReplayMachine(till)])
/// ```
public struct ReplayMachine: Sendable {
    /// The machine's name.
    public let name: String
    /// The machine's version.
    public let version: Int
    let open: @Sendable (ReplayRequest) throws -> any ReplaySession

    /// Creates a machine with an environment for its reducer.
    ///
    /// No effect runs, so a stub is enough unless the reducer itself reads a value of the environment. Then pass the
    /// values that the app had: with others the tool computes other states, and its command `snapshot` stores them.
    public init<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, environment: Environment
    ) {
        var machine = machine
        machine.reducer = machine.reducer.observed(before: { CrashReport.begin($0) }, after: { CrashReport.end() })
        self.init(name: machine.name, version: machine.version) { [machine] request in
            var replayer = try Replayer(
                machine, environment: environment, reader: request.reader, stream: request.stream,
                progress: { request.progress($0.step, $0.last) })
            for step in request.without { replayer = replayer.skipping(step) }
            return MachineSession(replayer)
        }
    }

    /// Creates a machine that needs no environment.
    public init<Action, State>(_ machine: Machine<Action, State, Void>) {
        self.init(machine, environment: ())
    }

    init(name: String, version: Int, open: @escaping @Sendable (ReplayRequest) throws -> any ReplaySession) {
        (self.name, self.version, self.open) = (name, version, open)
    }
}

/// What to replay.
struct ReplayRequest: Sendable {
    var reader: JournalReader
    var stream: String
    /// The steps to leave out.
    var without: [Int] = []
    var progress: @Sendable (_ step: Int, _ last: Int) -> Void = { _, _ in }
}

/// A replay of a stream. States are passed as text: the machine's types, and the image they are in, do not matter.
protocol ReplaySession: WalkStates {
    /// The version of the machine.
    var version: Int { get }
    func step(_ step: Int) throws -> StepView
    /// The differences between the states after two steps, the later one reduced on from the earlier one.
    func changes(from: Int, to: Int) throws -> [ValueDiff.Change]
    /// The differences, by value, between a state that another process encoded and the state after a step.
    func changes(fromState text: String, to step: Int) throws -> [ValueDiff.Change]
    /// The same, with the state that ``verify(every:_:)`` computes: no snapshot that older code wrote is used for it.
    func changes(fromState text: String, toVerified step: Int) throws -> [ValueDiff.Change]
    /// Passes the states of a range to `visit`, until that returns false.
    func states(_ steps: ClosedRange<Int>, _ visit: (_ step: Int, _ state: String) throws -> Bool) throws
    /// Replays and compares everything; passes the state after every `stride`-th step to `visit`.
    func verify(
        every stride: Int?, _ visit: (_ step: Int, _ state: String) throws -> Void
    ) throws -> ReplayReport
}

extension ReplaySession {
    func changes(at step: Int) throws -> [ValueDiff.Change] {
        try self.step(step).changes
    }

    /// Whether a step has a snapshot with another state than this code computes from the state before the step.
    func isOfOtherCode(_ snapshot: SnapshotMark) throws -> Bool {
        let step = snapshot.step
        // A base replaces the computed state.
        if snapshot.isBase { return try changes(at: step) != changes(from: step - 1, to: step) }
        var computed: String?
        try states(step - 1...step) {
            computed = $1
            return $0 < step
        }
        return try computed.map { try !changes(fromState: $0, to: step).isEmpty } ?? false
    }
}

/// The result of replaying one step.
struct StepView: Hashable, Sendable, Codable {
    /// Why the reducer rejected it.
    var rejection: String?
    var isSkipped: Bool
    /// The added actions, each as JSON.
    var cascade: [String]
    /// The returned effects, each as text.
    var effects: [String]
    var changes: [ValueDiff.Change]
}
