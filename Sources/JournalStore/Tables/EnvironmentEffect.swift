/// The effect of a row as a function of the environment, or of the input and the environment.
///
/// ```swift
/// let loginEffect = EnvironmentEffect<Input, Services> { services in
///     .run("login") { .loginOK(try await services.logIn()) }
/// }
/// ```
public struct EnvironmentEffect<Action: Sendable, Environment>: Sendable {
    let effect: @Sendable (Action, Environment) -> Effect<Action>

    /// Creates an effect from a function of the environment. Like a reducer it must be pure.
    public init(_ effect: @escaping @Sendable (Environment) -> Effect<Action>) {
        self.effect = { _, environment in effect(environment) }
    }

    /// Creates an effect from a function of the input and the environment. Like a reducer it must be pure.
    public init(_ effect: @escaping @Sendable (Action, Environment) -> Effect<Action>) {
        self.effect = effect
    }

    /// The same as the initializer, for use in a row: `=> .loggingIn | .given { services in … }`.
    public static func given(
        _ effect: @escaping @Sendable (Environment) -> Effect<Action>
    ) -> EnvironmentEffect { EnvironmentEffect(effect) }

    /// The same as the initializer, for use in a row: `=> .loggingIn | .given { input, services in … }`.
    public static func given(
        _ effect: @escaping @Sendable (Action, Environment) -> Effect<Action>
    ) -> EnvironmentEffect { EnvironmentEffect(effect) }
}

// MARK: - Combining

// No `+` of two: with its overloads, a table whose rows add effects took twice as long to compile.
extension EnvironmentEffect {
    /// All effects. They start in this order and run concurrently. In a row, `+` does the same:
    /// `=> .loggingIn | loginEffect + logEffect`.
    public static func combine(_ effects: EnvironmentEffect...) -> EnvironmentEffect {
        combine(effects)
    }

    /// All effects. They start in this order and run concurrently.
    public static func combine(_ effects: [EnvironmentEffect]) -> EnvironmentEffect {
        EnvironmentEffect { input, environment in .combine(effects.map { $0.effect(input, environment) }) }
    }
}
