import JournalStore

/// Where a mirror gets its states from and sends its actions to: the core, seen through a part of the state.
@MainActor struct MirrorSource<Action: Sendable, State> {
    let state: () -> State
    /// Passes each new state to a function, as long as its mirror is alive.
    let listen: (_ isAlive: @escaping () -> Bool, _ receive: @escaping (State) -> Void) -> Void
    let send: (Action, _ failed: @escaping (JournalError) -> Void) -> Task<Void, Never>
    let dispatch: (Action, _ id: String?, _ waitsForEffects: Bool) async throws(JournalError) -> DispatchOutcome

    func scope<PartAction, Part>(
        _ part: @escaping (State) -> Part, _ action: @escaping (PartAction) -> Action
    ) -> MirrorSource<PartAction, Part> {
        MirrorSource<PartAction, Part>(
            state: { part(state()) },
            listen: { isAlive, receive in listen(isAlive) { receive(part($0)) } },
            send: { send(action($0), $1) },
            dispatch: { (sent, id, waits) async throws(JournalError) in try await dispatch(action(sent), id, waits) })
    }
}

extension MirrorSource where State: Sendable {
    init(_ core: MirrorCore<Action, State>) {
        self.init(
            state: { core.state }, listen: { core.add($0, $1) }, send: { core.send($0, failed: $1) },
            dispatch: { (action, id, waits) async throws(JournalError) in
                try await core.dispatch(action, id: id, waitsForEffects: waits)
            })
    }
}
