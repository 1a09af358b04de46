import Testing

@testable import JournalStore

@Suite struct `Replies` {
    private typealias Answer = Reply<AuthInput, AuthState>

    @Test func `each input has one reply: the transition, or the state that refused it`() async throws {
        let journal = try Journal.inMemory()
        let table = authTable.withoutEffects
        let store = try await journal.open(Machine("auth", initialState: .loggedOut, table: table), stream: "a")
        #expect(try await store.reply(to: .login) == .success(.login, from: .loggedOut, to: .loggingIn))
        #expect(
            try await store.reply(to: .login)
                == .failure(.login, from: .loggingIn, reason: "No row for 'login' in the state 'loggingIn'."))
        #expect(try await store.reply(to: .loginOK) == .success(.loginOK, from: .loggingIn, to: .loggedIn))
        #expect(try journal.reader.stream("a").headStep == 3)
        try await journal.close()
    }

    @Test func `a repeated dispatch gets the reply of the first one, from the journal`() async throws {
        let journal = try Journal.inMemory()
        let table = authTable.withoutEffects
        let store = try await journal.open(Machine("auth", initialState: .loggedOut, table: table), stream: "a")
        let first = try await store.reply(to: .login, id: "one")
        let refused = try await store.reply(to: .logout, id: "two")
        try await store.dispatch(.loginOK)
        #expect(try await store.reply(to: .login, id: "one") == first)
        #expect(try await store.reply(to: .logout, id: "two") == refused)
        #expect(refused == .failure(.logout, from: .loggingIn, reason: "No row for 'logout' in the state 'loggingIn'."))
        #expect(try journal.reader.stream("a").headStep == 3)
        try await journal.close()
    }

    @Test func `a version that decides otherwise does not change what was rejected`() async throws {
        func till(_ version: Int, _ limits: ClosedRange<Int>) -> Machine<Int, Int, Void> {
            Machine<Int, Int, Void>("till", version: version, initialState: 0) { action, state, _ in
                guard limits.contains(action) else { return .reject("Not in \(limits).") }
                state += action
                return .none
            }
            .unchanged(since: 1)
        }
        let journal = try Journal.inMemory()
        let first = try await journal.open(till(1, 0...10), stream: "a")
        #expect(try await first.reply(to: 20, id: "large") == .failure(20, from: 0, reason: "Not in 0...10."))
        #expect(try await first.reply(to: 5, id: "small") == .success(5, from: 0, to: 5))
        try await first.dispatch(1)
        try await first.close()
        let second = try await journal.open(till(2, 11...100), stream: "a")
        #expect(try await second.reply(to: 20, id: "large") == .failure(20, from: 0, reason: "Not in 0...10."))
        // The states before the base are those that this version computes.
        #expect(try await second.reply(to: 5, id: "small") == .success(5, from: 20, to: 20))
        #expect(second.state == 6)
        try await journal.close()
    }

    @Test func `a repeated dispatch gets its reply in a task that was cancelled, too`() async throws {
        let journal = try Journal.inMemory()
        let table = authTable.withoutEffects
        let store = try await journal.open(Machine("auth", initialState: .loggedOut, table: table), stream: "a")
        let first = try await store.reply(to: .login, id: "one")
        let again = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await store.reply(to: .login, id: "one")
        }
        again.cancel()
        #expect(try await again.value == first)
        try await journal.close()
    }

    @Test func `replies come as a sequence, past and new, also those of actions that effects send`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.open(auth(), stream: "a", environment: AuthServices())
        try await store.dispatch(.logout)
        await (try await store.dispatch(.login)).completion()
        var replies: [Answer] = []
        for try await reply in store.replies(from: 1) {
            replies.append(reply)
            if replies.count == 3 { break }
        }
        #expect(
            replies == [
                .failure(.logout, from: .loggedOut, reason: "No row for 'logout' in the state 'loggedOut'."),
                .success(.login, from: .loggedOut, to: .loggingIn),
                .success(.loginOK, from: .loggingIn, to: .loggedIn),
            ])
        #expect(replies.map(\.input) == [.logout, .login, .loginOK])
        #expect(replies.map(\.from) == [.loggedOut, .loggedOut, .loggingIn])
        #expect(replies.map(\.to) == [nil, .loggingIn, .loggedIn])
        try await journal.close()
    }

    @Test func `a store that is closed refuses to reply`() async throws {
        let journal = try Journal.inMemory()
        let store = try await journal.open(auth(), stream: "a", environment: AuthServices())
        try await store.close()
        #expect(await journalError { try await store.reply(to: .login) }?.code == .closed)
        try await journal.close()
    }
}
