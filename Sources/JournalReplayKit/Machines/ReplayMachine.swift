public import JournalStore

/// A machine that the tool can replay: with its reducer, and an environment for that.
///
/// ```swift
/// let tool = ReplayTool(machines: [ReplayMachine(cart, environment: .stub), ReplayMachine(till)])
/// ```
public struct ReplayMachine: Sendable {
    /// The machine's name.
    public let name: String
    /// Its version.
    public let version: Int
    let open: @Sendable (ReplayRequest) throws -> any ReplaySession

    /// A machine with the environment that its reducer is given. Nothing is run: a stub will do, unless the reducer looks into it.
    public init<Action, State, Environment>(
        _ machine: Machine<Action, State, Environment>, environment: Environment
    ) {
        self.init(name: machine.name, version: machine.version) { request in
            var replayer = try Replayer(
                machine, environment: environment, reader: request.reader, stream: request.stream,
                progress: { request.progress($0.step, $0.last) })
            for step in request.without { replayer = replayer.skipping(step) }
            return MachineSession(replayer)
        }
    }

    /// A machine that needs no environment.
    public init<Action, State>(_ machine: Machine<Action, State, Void>) {
        self.init(machine, environment: ())
    }

    init(name: String, version: Int, open: @escaping @Sendable (ReplayRequest) throws -> any ReplaySession) {
        (self.name, self.version, self.open) = (name, version, open)
    }
}

/// What is to be replayed.
struct ReplayRequest: Sendable {
    var reader: JournalReader
    var stream: String
    /// The steps that are to be taken for not having happened.
    var without: [Int] = []
    var progress: @Sendable (_ step: Int, _ last: Int) -> Void = { _, _ in }
}

/// A stream under replay, in texts: whatever a machine's types are, and whatever image they live in.
protocol ReplaySession: WalkStates {
    /// Of the machine.
    var version: Int { get }
    func step(_ step: Int) throws -> StepView
    /// What differs between the states after two steps.
    func changes(from: Int, to: Int) throws -> [ValueDiff.Change]
    /// What differs between a state in another process' words and the one after a step. By value.
    func changes(fromState text: String, to step: Int) throws -> [ValueDiff.Change]
    /// Gives the states of a range to a function, until that returns false.
    func states(_ steps: ClosedRange<Int>, _ visit: (_ step: Int, _ state: String) throws -> Bool) throws
    /// Replays all and compares; gives a state now and then on the way.
    func verify(
        every stride: Int?, _ visit: (_ step: Int, _ state: String) throws -> Void
    ) throws -> ReplayReport
}

extension ReplaySession {
    func changes(at step: Int) throws -> [ValueDiff.Change] {
        try self.step(step).changes
    }
}

/// What a replay says of one step.
struct StepView: Hashable, Sendable, Codable {
    /// Why the reducer refused it.
    var rejection: String?
    var isSkipped: Bool
    /// JSON each.
    var cascade: [String]
    /// JSON each.
    var effects: [String]
    var changes: [ValueDiff.Change]
}
