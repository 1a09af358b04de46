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
