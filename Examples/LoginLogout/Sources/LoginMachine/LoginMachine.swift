public import JournalStore

/// Where the user is.
public enum State: String, Codable, Sendable, CaseIterable {
    /// Not logged in.
    case loggedOut
    /// Waits for the server.
    case loggingIn
    /// Logged in.
    case loggedIn
    /// Waits for the server.
    case loggingOut
}

/// What the user or the server says.
public enum Input: String, Codable, Sendable, CaseIterable {
    /// The user wants to log in.
    case login
    /// The server has logged the user in.
    case loginOK
    /// The user wants to log out.
    case logout
    /// The server has logged the user out.
    case logoutOK
    /// Log out at once, also while logging in.
    case forceLogout
}

/// The server.
public struct Server: Sendable {
    /// Asks the server for something. It recognizes a repeated request by its key.
    public var request: @Sendable (_ what: String, _ key: String, _ clock: any Clock<Duration>) async throws -> Void

    /// Creates a server from a function.
    public init(
        request: @escaping @Sendable (_ what: String, _ key: String, _ clock: any Clock<Duration>) async throws -> Void
    ) {
        self.request = request
    }
}

// Additional effects of transitions.
private let loginEffect = request("log in", then: .loginOK)
private let logoutEffect = request("log out", then: .logoutOK)
private let forceLogoutEffect = request("force log out", then: .logoutOK)

private let canForceLogout: @Sendable (State) -> Bool = { [.loggingIn, .loggedIn].contains($0) }

/// The transitions.
// swift-format-ignore
public let transitions: TransitionTable<Input, State, Server> = [
    /*  Input   |   from        => to          |      Effect       */
    /* ----------------------------------------------------------- */
    .login    | .loggedOut  => .loggingIn  | loginEffect,
    .loginOK  | .loggingIn  => .loggedIn   | .empty,
    .logout   | .loggedIn   => .loggingOut | logoutEffect,
    .logoutOK | .loggingOut => .loggedOut  | .empty,

    .forceLogout | .where("canForceLogout", canForceLogout) => .loggingOut | forceLogoutEffect,
]

/// The machine: a new effect cancels the one that runs.
public let machine: Machine<Input, State, Server> = {
    var machine = Machine("login", initialState: .loggedOut, table: transitions, strategy: .latest)
    // Once in the life of the stream, and not at each launch.
    machine.initialEffect = .fireAndForget("introduce") { print("a new journal") }
    return machine
}()

private func request(_ what: String, then input: Input) -> EnvironmentEffect<Input, Server> {
    EnvironmentEffect { server in
        .run(what) { context in
            try await server.request(what, context.idempotencyKey, context.clock)
            return input
        }
    }
}
