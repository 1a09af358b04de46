/// What becomes of a running side effect of a ``Runtime`` when the machine enters a state.
///
/// A state is entered at each step whose event the machine accepts, also if it is equal to the one before.
public struct SideEffectStrategy<State: Sendable>: Sendable {
    let cancels: (@Sendable (State) -> Bool)?

    private init(_ cancels: (@Sendable (State) -> Bool)?) {
        self.cancels = cancels
    }

    /// It goes on, whatever state is entered.
    public static var continueWhenAnyState: SideEffectStrategy { SideEffectStrategy(nil) }

    /// It is cancelled when any state is entered. So a side effect that sends several events is cancelled by the first
    /// one that the machine accepts.
    public static var cancelWhenAnyState: SideEffectStrategy { SideEffectStrategy { _ in true } }

    /// It is cancelled when a state is entered that meets a condition.
    ///
    /// - Parameter condition: the condition. It must be pure, because every replay evaluates it again.
    public static func cancel(when condition: @escaping @Sendable (State) -> Bool) -> SideEffectStrategy {
        SideEffectStrategy(condition)
    }
}

extension SideEffectStrategy where State: Equatable {
    /// It is cancelled when an equal state is entered.
    public static func cancel(when state: State) -> SideEffectStrategy {
        SideEffectStrategy { $0 == state }
    }

    /// It is cancelled when one of several states is entered.
    public static func cancel(when states: OneOf<State>) -> SideEffectStrategy {
        SideEffectStrategy(states.pattern.test)
    }

    /// It is cancelled when a state of a case is entered.
    public static func cancel<Payload>(
        when constructor: @escaping @Sendable (Payload) -> State
    ) -> SideEffectStrategy {
        .cancel(when: OneOf(.case(constructor)))
    }
}
