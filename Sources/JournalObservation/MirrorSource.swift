import JournalStore

/// Where a mirror gets its states from and sends its actions to: the core, seen through a part of the state.
@MainActor struct MirrorSource<Action: Sendable, State> {
    let state: () -> State
    /// Passes each new state to a function, as long as its mirror is alive.
    let listen: (_ isAlive: @escaping () -> Bool, _ receive: @escaping (State) -> Void) -> Void
    let send: (Action, _ failed: @escaping (JournalError) -> Void) -> Task<Void, Never>
    let dispatch: (Action, MirroredDispatch) async throws(JournalError) -> DispatchOutcome
    let cancel: (AnyEffectID) async throws(JournalError) -> Void

    func scope<PartAction, Part>(
        _ part: @escaping (State) -> Part, _ action: @escaping (PartAction) -> Action
    ) -> MirrorSource<PartAction, Part> {
        MirrorSource<PartAction, Part>(
            state: { part(state()) },
            listen: { isAlive, receive in listen(isAlive) { receive(part($0)) } },
            send: { send(action($0), $1) },
            dispatch: { (sent, options) async throws(JournalError) in try await dispatch(action(sent), options) },
            cancel: cancel)
    }
}

extension MirrorSource where State: Sendable {
    init(_ core: MirrorCore<Action, State>) {
        self.init(
            state: { core.state }, listen: { core.add($0, $1) }, send: { core.send($0, failed: $1) },
            dispatch: { (action, options) async throws(JournalError) in try await core.dispatch(action, options) },
            cancel: { id async throws(JournalError) in try await core.cancel(id) })
    }
}

/// What `dispatch` of a mirror gets besides the action.
struct MirroredDispatch: Sendable {
    let id: String?
    let cancelID: (any EffectID)?
    let priority: TaskPriority?
    let waitsForEffects: Bool

    init(_ id: String?, _ cancelID: (any EffectID)?, _ priority: TaskPriority?, waitsForEffects: Bool) {
        (self.id, self.cancelID, self.priority, self.waitsForEffects) = (id, cancelID, priority, waitsForEffects)
    }
}
