// What the code in docs/transition-tables.md presupposes. It is only type-checked.

import JournalStore
import Testing

enum State: Codable, Sendable, Equatable, CaseIterable { case loggedOut, loggingIn, loggedIn, loggingOut }

enum Input: Codable, Sendable, Equatable, CaseIterable { case login, loginOK, logout, logoutOK, forceLogout }

struct Services: Sendable {
    var greet: @Sendable (_ user: String) async throws -> Void
    func results(of query: String) -> AsyncStream<SearchInput> { AsyncStream { $0.finish() } }
}

let loginEffect = EnvironmentEffect<Input, Services> { _ in .run("login") { .loginOK } }
let logoutEffect = EnvironmentEffect<Input, Services> { _ in .run("logout") { .logoutOK } }
let table: TransitionTable<Input, State, Services> = []

enum Session: Codable, Sendable, Equatable { case loggingIn, loggedIn(String) }

enum SessionInput: Codable, Sendable, Equatable { case loginOK(String) }

struct Search: Codable, Sendable, Equatable { var query: String? }

enum SearchInput: Codable, Sendable, Equatable { case type(String) }

let searchTable: TransitionTable<SearchInput, Search, Services> = []
