/// Injects dependencies into a side effect: `inject(dep: engine, in: close(speed:engine:))` is a function of the speed.
///
/// - Parameters:
///   - dependency: the dependencies.
///   - sideEffect: the side effect, which takes the payload of an output and then the dependencies.
public func inject<each Dependency: Sendable, Payload, Result>(
    dep dependency: repeat each Dependency,
    in sideEffect: @escaping @concurrent @Sendable (Payload, repeat each Dependency) async throws -> Result
) -> @concurrent @Sendable (Payload) async throws -> Result {
    { try await sideEffect($0, repeat each dependency) }
}

/// Injects dependencies into a side effect of an output without payload.
///
/// - Parameters:
///   - dependency: the dependencies.
///   - sideEffect: the side effect, which takes the dependencies.
public func inject<each Dependency: Sendable, Result>(
    dep dependency: repeat each Dependency,
    in sideEffect: @escaping @concurrent @Sendable (repeat each Dependency) async throws -> Result
) -> @concurrent @Sendable () async throws -> Result {
    { try await sideEffect(repeat each dependency) }
}
