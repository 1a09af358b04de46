import JournalStore
import JournalTesting

enum AuthState: String, Codable, Sendable, Equatable, CaseIterable { case loggedOut, loggingIn, loggedIn, loggingOut }

enum AuthInput: String, Codable, Sendable, Equatable, CaseIterable {
    case login, loginOK, logout, logoutOK, forceLogout
}

/// What the effects of the table work with.
struct AuthServices: Sendable {
    var call: @Sendable (_ name: String, _ key: String) async throws -> Void = { _, _ in }
}

private let loginEffect = EnvironmentEffect<AuthInput, AuthServices> { services in
    .run("login") { context in
        try await services.call("login", context.idempotencyKey)
        return .loginOK
    }
}
private let logoutEffect = EnvironmentEffect<AuthInput, AuthServices> { input, services in
    .run("\(input)") { context in
        try await services.call("\(input)", context.idempotencyKey)
        return .logoutOK
    }
}
private let canForceLogout: @Sendable (AuthState) -> Bool = { [.loggingIn, .loggedIn].contains($0) }

let authTable: TransitionTable<AuthInput, AuthState, AuthServices> = [
    .login | .loggedOut => .loggingIn | loginEffect,
    .loginOK | .loggingIn => .loggedIn | .empty,
    .logout | .loggedIn => .loggingOut | logoutEffect,
    .logoutOK | .loggingOut => .loggedOut,
    .forceLogout | .where("canForceLogout", canForceLogout) => .loggingOut | logoutEffect,
]

func auth(_ strategy: EffectStrategy = .latest) -> Machine<AuthInput, AuthState, AuthServices> {
    Machine("auth", initialState: .loggedOut, table: authTable, strategy: strategy)
}
