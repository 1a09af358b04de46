/// A value that describes a state machine: its name, version, initial state and reducer, and how its values are stored.
///
/// ```swift
/// let counter = Machine("counter", initialState: 0) { (count: inout Int, action: Action) in
///     switch action {
///     case .increment: count += 1
///     case .decrement: count -= 1
///     }
/// }
/// ```
public struct Machine<Action: Codable & Sendable, State: Codable & Sendable, Environment: Sendable>: Sendable {
    /// The machine's name. A stream belongs to one machine for its whole life.
    public let name: String
    /// The version of this code.
    ///
    /// Raise it when stored actions or states need an upcaster, or when an existing action from now on gives another
    /// state or returns other effects. A new case, with or without effects, and a new optional property need no new
    /// version.
    public let version: Int
    /// The state before the first step.
    public var initialState: State
    /// The function that computes the next state and the effects of an action.
    public package(set) var reducer: Reducer<Action, State, Environment>
    /// Encodes and decodes actions and states, and nothing else: see ``Codec``.
    public var codec: any Codec = JSONCodec()
    /// The effects that start once per stream, when it is created, and not at each opening. `.next` and `.reject` have
    /// no meaning here. To start something in a part, send it an action: `.after(.zero, .left(.start))`.
    ///
    /// None, unless something else is set. Of a ``StateMachine`` it is the output of ``initialState``.
    public var initialEffect: Effect<Action> {
        get { chosenInitialEffect ?? entering?(initialState) ?? Effect<Action>.none }
        set { chosenInitialEffect = newValue }
    }
    /// The maximum number of actions that `.next` may add to one step. A step with a longer cascade is rejected.
    public var cascadeLimit = 10_000
    private var chosenInitialEffect: Effect<Action>?
    /// Returns what is executed when a state is entered, for the initial state; nil if nothing is.
    var entering: (@Sendable (State) -> Effect<Action>)?
    var links: [MachineLink<Action, State>] = []
    /// Called after each new step.
    var middleware: [Middleware<Action, State>] = []
    var actionUpcasters = Upcasters()
    var stateUpcasters = Upcasters()

    /// Creates a machine from a reducer.
    public init(_ name: String, version: Int = 1, initialState: State, reducer: Reducer<Action, State, Environment>) {
        (self.name, self.version, self.initialState, self.reducer) = (name, version, initialState, reducer)
    }

    /// Creates a machine from a closure that reduces an action.
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (Action, inout State, Environment) -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: Reducer(reduce))
    }

    /// Creates a machine from a closure that also receives the step, with its time and its random values.
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (Action, inout State, Environment, inout Step) -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: Reducer(reduce))
    }

    /// Creates a machine without effects, from a function that changes the state.
    public init(
        _ name: String, version: Int = 1, initialState: State,
        update: @escaping @Sendable (inout State, Action) -> Void
    ) where Environment == Void {
        self.init(
            name, version: version, initialState: initialState,
            reducer: Reducer { action, state, _ in
                update(&state, action)
                return .none
            })
    }
}

// MARK: - Older versions

extension Machine {
    /// Adds an upcaster that converts actions of `version` to the next version. Older actions pass through all later
    /// upcasters as well, and through several of one version in the order in which they were added. It does not convert
    /// the states of `version`: add an upcaster for them, or ``unchanged(since:)``; otherwise the snapshots of that
    /// version cannot be read.
    ///
    /// If the closure throws, the opening or the replay that needs the action throws ``JournalError/Code/noUpcaster``.
    /// Such an opening writes nothing.
    public func upcasting<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        actionsFrom version: Int, _ step: @escaping @Sendable (Old) throws -> New
    ) -> Machine {
        changed(self) {
            $0.actionUpcasters.add(from: version) { try $1.encode(try step(try $1.decode(Old.self, from: $0))) }
        }
    }

    /// Adds an upcaster that converts the encoded text of actions of `version` to the next version. If the closure
    /// throws, the opening or the replay that needs the action throws ``JournalError/Code/noUpcaster``.
    public func upcasting(
        actionTextsFrom version: Int, _ step: @escaping @Sendable (String) throws -> String
    ) -> Machine {
        changed(self) { $0.actionUpcasters.add(from: version) { text, _ in try step(text) } }
    }

    /// Adds an upcaster that converts states of `version` to the next version.
    ///
    /// If the closure throws, the snapshot cannot be read. An opening then computes the state from an older one or from
    /// the entries, and reports the notice ``Notice/Kind/snapshotSkipped``; if neither is possible, it throws
    /// ``JournalError/Code/noUsableSnapshot``.
    public func upcasting<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        statesFrom version: Int, _ step: @escaping @Sendable (Old) throws -> New
    ) -> Machine {
        changed(self) {
            $0.stateUpcasters.add(from: version) { try $1.encode(try step(try $1.decode(Old.self, from: $0))) }
        }
    }

    /// Adds an upcaster that converts the encoded text of states of `version` to the next version. If the closure
    /// throws, the snapshot cannot be read.
    public func upcasting(
        stateTextsFrom version: Int, _ step: @escaping @Sendable (String) throws -> String
    ) -> Machine {
        changed(self) { $0.stateUpcasters.add(from: version) { text, _ in try step(text) } }
    }

    /// Declares that the encoding has not changed since `version`: only the reducer has.
    public func unchanged(since version: Int) -> Machine {
        changed(self) {
            $0.actionUpcasters.keep(since: version)
            $0.stateUpcasters.keep(since: version)
        }
    }
}
