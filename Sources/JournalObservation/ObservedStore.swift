public import JournalStore
public import Observation

/// Mirrors the state of a store on the main actor, for a user interface: it is `Observable`, so SwiftUI updates a view
/// when the state that the view reads has changed.
///
/// ```swift
/// let observed = ObservedStore(store)
/// observed.send(.add("apple"))
/// let count = observed.items.count
/// ```
///
/// The mirror takes the newest state at most once per turn of the main actor: several steps in one turn are one change.
/// If the state is `Equatable`, an equal state is no change. ``scope(_:)`` mirrors a part of the state, and changes
/// only when that part does.
///
/// A mirror keeps its store open. When the last mirror of a store is released, mirroring ends; the app closes the
/// store. The last state before the store ends is mirrored too.
@MainActor @Observable @dynamicMemberLookup
public final class ObservedStore<Action: Sendable, State> {
    /// The newest state that the main actor has taken.
    public private(set) var state: State
    /// Why the newest ``send(_:)`` failed. With `outcomeUnknown` or `fenced` its action can be in the journal all the same. The
    /// app resets it.
    public var sendError: JournalError?

    @ObservationIgnored let source: MirrorSource<Action, State>

    /// Mirrors a store.
    public convenience init(_ store: Store<Action, State>) where State: Sendable {
        self.init(MirrorSource(MirrorCore(store)))
    }

    init(_ source: MirrorSource<Action, State>) {
        self.source = source
        state = source.state()
        source.listen({ [weak self] in self != nil }, { [weak self] in self?.update($0) })
    }

    private func update(_ new: State) {
        if ValueEquality.areEqual(state, new) != true { state = new }
    }

    /// A part of the state: `observed.items` is `observed.state.items`. A part with the name of another member of the
    /// mirror, such as `state`, is only found in ``state``.
    public subscript<Part>(dynamicMember path: KeyPath<State, Part>) -> Part { state[keyPath: path] }

    // MARK: Actions

    /// Dispatches an action and returns at once. Actions are dispatched in the order in which they are sent, even if
    /// the mirror is released. An error is in ``sendError`` afterwards.
    ///
    /// - Returns: a task that ends when the action is reduced.
    @discardableResult
    public func send(_ action: Action) -> Task<Void, Never> {
        source.send(action) { [weak self] in self?.sendError = $0 }
    }

    /// Dispatches an action after those that were sent before. When it returns, ``state`` includes the action.
    ///
    /// - Parameters:
    ///   - action: the action.
    ///   - id: the dispatch ID: a second dispatch with the same ID appends nothing.
    ///   - cancelID: an ID that cancels all effects of this dispatch and all that they lead to.
    ///   - priority: the priority of its effects, unless an effect has its own.
    ///   - waitsForEffects: whether to wait until the effects of the action and all that they lead to have ended; for a
    ///     repeated dispatch, as the first one waits.
    /// - Throws: `JournalError`, as `dispatch` of the store.
    @discardableResult
    public func dispatch(
        _ action: Action, id: String? = nil, cancelID: (any EffectID)? = nil, priority: TaskPriority? = nil,
        waitsForEffects: Bool = false
    ) async throws(JournalError) -> DispatchOutcome {
        try await source.dispatch(action, MirroredDispatch(id, cancelID, priority, waitsForEffects: waitsForEffects))
    }

    /// Cancels the effects with an ID, and those of dispatches with this cancel ID. Returns once that is committed.
    ///
    /// - Throws: `JournalError`, as `cancel` of the store.
    public func cancel(id: some EffectID) async throws(JournalError) {
        try await source.cancel(AnyEffectID(id))
    }

    // MARK: Parts

    /// Mirrors a part of the state. It changes only when the part does, in the same turn as the whole.
    public func scope<Part: Equatable>(_ part: @escaping (State) -> Part) -> ObservedStore<Action, Part> {
        scope(part) { $0 }
    }

    /// Mirrors a part of the state, for a view that knows only the actions of that part:
    /// `observed.scope(\.todos, action: AppAction.todos)`.
    public func scope<PartAction: Sendable, Part: Equatable>(
        _ part: @escaping (State) -> Part, action: @escaping (PartAction) -> Action
    ) -> ObservedStore<PartAction, Part> {
        ObservedStore<PartAction, Part>(source.scope(part, action))
    }

    /// A value of the state that a control shows and changes: `observed.binding(get: \.name, send: AppAction.rename)`.
    ///
    /// Setting it sends the action. The value is the old one until that action is reduced.
    public func binding<Value>(
        get: @escaping (State) -> Value, send action: @escaping (Value) -> Action
    ) -> ObservedBinding<Value> {
        ObservedBinding(get: { get(self.state) }, set: { self.send(action($0)) })
    }
}
