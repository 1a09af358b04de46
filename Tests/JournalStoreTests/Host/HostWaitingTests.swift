import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Waiting at a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private static let auth = Machine("auth", initialState: AuthState.loggedOut, table: authTable.withoutEffects)

    @Test func `a reply is the transition that a dispatch made, or the state that refused it`() async throws {
        let journal = try openJournal(path)
        let host = try journal.host(Self.auth)
        let first = try await host.reply(to: .login, of: "a", id: "one")
        #expect(first == .success(.login, from: .loggedOut, to: .loggingIn))
        #expect(
            try await host.reply(to: .login, of: "a")
                == .failure(.login, from: .loggingIn, reason: "No row for 'login' in the state 'loggingIn'."))
        try await host.dispatch(.loginOK, to: "a")
        #expect(try await host.reply(to: .login, of: "a", id: "one") == first)
        #expect(try await host.reply(to: .login, of: "b") == first)
        try await journal.close()
        #expect(try sql("SELECT stream, step FROM journal") == ["a|1", "a|2", "a|3", "b|1"])
    }

    @Test func `a host that is closed refuses to reply`() async throws {
        let journal = try openJournal(path)
        let host = try journal.host(Self.auth)
        await host.close()
        #expect(await journalError { try await host.reply(to: .login, of: "a") }?.code == .closed)
        try await journal.close()
    }

    @Test func `dispatch waits for a state, for one of several, for a case, or for a condition`() async throws {
        let journal = try openJournal(path)
        let runtime = Kitchen.runtime(cook: { $0 == "soup" ? .ready : .smoke })
        let kitchen = Machine("kitchen", Kitchen.machine, runtime: runtime)
        let host = try journal.host(kitchen)
        #expect(try await host.dispatch(.order("soup"), to: "a", until: .served(0)) == .served(0))
        #expect(try await host.dispatch(.eaten(3), to: "a", until: Kitchen.State.served) == .served(3))
        #expect(try await host.dispatch(.clean, to: "a", until: { $0 == .idle }) == .idle)
        let end = OneOf {
            Kitchen.State.served
            Kitchen.State.burnt
        }
        #expect(try await host.dispatch(.order("toast"), to: "b", until: end) == .burnt)
        try await journal.close()
    }
}
