/// A state machine as it is stored: its name, its version, where it begins, and its rule.
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
    /// The machine's name: a stream belongs to one machine for ever.
    public let name: String
    /// The version of this code. Raise it when actions, states or the rule change.
    public let version: Int
    /// The state before the first step.
    public let initialState: State
    /// The rule.
    public let reducer: Reducer<Action, State, Environment>
    /// How actions and states become text.
    public var codec: any Codec = JSONCodec()
    /// What is started once in the life of a stream: when it is made, and not at each opening. `.next` and `.reject` have no meaning here.
    public var initialEffect = Effect<Action>.none
    /// How many actions `.next` may add to one step. A longer cascade is refused.
    public var cascadeLimit = 10_000
    var outlets: [Outlet<Action, State>] = []
    var actionUpcasters = Upcasters()
    var stateUpcasters = Upcasters()

    /// A machine.
    public init(
        _ name: String, version: Int = 1, initialState: State, reducer: Reducer<Action, State, Environment>
    ) {
        self.name = name
        self.version = version
        self.initialState = initialState
        self.reducer = reducer
    }

    /// A machine with its rule written behind it.
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (Action, inout State, Environment) -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: Reducer(reduce))
    }

    /// A machine with its rule written behind it, which is also given the step: its time, and chance.
    public init(
        _ name: String, version: Int = 1, initialState: State,
        reduce: @escaping @Sendable (Action, inout State, Environment, inout Step) -> Effect<Action>
    ) {
        self.init(name, version: version, initialState: initialState, reducer: Reducer(reduce))
    }

    /// The smallest way in: a function that changes the state, and no effects.
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
    /// Says how an action of `version` becomes one of the next version. Older ones go through all that follow.
    public func upcasting<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        actionsFrom version: Int, _ step: @escaping @Sendable (Old) throws -> New
    ) -> Machine {
        var machine = self
        machine.actionUpcasters.add(from: version) { try $1.encode(try step(try $1.decode(Old.self, from: $0))) }
        return machine
    }

    /// Says how the text of an action of `version` becomes that of the next version.
    public func upcasting(
        actionTextsFrom version: Int, _ step: @escaping @Sendable (String) throws -> String
    ) -> Machine {
        var machine = self
        machine.actionUpcasters.add(from: version) { text, _ in try step(text) }
        return machine
    }

    /// Says how a state of `version` becomes one of the next version.
    public func upcasting<Old: Decodable & SendableMetatype, New: Encodable & SendableMetatype>(
        statesFrom version: Int, _ step: @escaping @Sendable (Old) throws -> New
    ) -> Machine {
        var machine = self
        machine.stateUpcasters.add(from: version) { try $1.encode(try step(try $1.decode(Old.self, from: $0))) }
        return machine
    }

    /// Says how the text of a state of `version` becomes that of the next version.
    public func upcasting(
        stateTextsFrom version: Int, _ step: @escaping @Sendable (String) throws -> String
    ) -> Machine {
        var machine = self
        machine.stateUpcasters.add(from: version) { text, _ in try step(text) }
        return machine
    }

    /// Says that the actions and states of `version` and all later ones are written as they are now: only the rule has changed.
    public func unchanged(since version: Int) -> Machine {
        var machine = self
        for version in version..<max(version, self.version) {
            machine.actionUpcasters.add(from: version) { text, _ in text }
            machine.stateUpcasters.add(from: version) { text, _ in text }
        }
        return machine
    }
}
