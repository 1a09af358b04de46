import Testing

@testable import JournalStore

@Suite struct `A transition table` {
    private typealias Table = TransitionTable<AuthInput, AuthState, Void>

    @Test func `the first row that matches counts`() {
        let table: Table = [
            .login | .loggedOut => .loggingIn,
            .login | any => .loggedIn,
            any | any => .loggingOut,
        ]
        var found: [AuthState] = []
        for (input, from) in [(AuthInput.login, AuthState.loggedOut), (.login, .loggedIn), (.logout, .loggedOut)] {
            var state = from
            _ = table.reducer()(input, &state)
            found.append(state)
        }
        #expect(found == [.loggingIn, .loggedIn, .loggingOut])
    }

    @Test func `of several tables the first one that has a matching row counts`() {
        let first: Table = [.login | .loggedOut => .loggingIn]
        let second: Table = [.login | any => .loggedIn, .logout | any => .loggedOut]
        for table in [Table.reduce([first, second]), first + second] {
            #expect(table.next(.login, in: .loggedOut) == .loggingIn)
            #expect(table.next(.login, in: .loggingOut) == .loggedIn)
            #expect(table.next(.logout, in: .loggedIn) == .loggedOut)
            #expect(table.next(.loginOK, in: .loggedIn) == nil)
        }
    }

    @Test func `a refusal names the case of the input and of the state, and no payload`() {
        enum Secret: Sendable, Equatable { case open(String) }
        let table: TransitionTable<Secret, Int, Void> = [.open("sesame") | 1 => 2]
        var state = 1
        #expect(
            table.reducer()(.open("password"), &state).outline == ["reject No row for 'open' in the state 'Int'."])
        var out = AuthState.loggedIn
        #expect(
            authTable.reducer()(.login, &out, AuthServices()).outline
                == ["reject No row for 'login' in the state 'loggedIn'."])
    }

    @Test func `a table converts to one without effects, and one without effects to any environment`() {
        var state = AuthState.loggedOut
        #expect(authTable.reducer()(.login, &state, AuthServices()).outline == ["run login"])
        let plain = authTable.withoutEffects
        state = .loggedOut
        #expect(plain.reducer()(.login, &state).outline == [])
        #expect(state == .loggingIn)
        let reset: Table = [.logout | .loggingIn => .loggedOut | .next(.login)]
        let both = authTable + reset.withEnvironment()
        state = .loggingIn
        #expect(both.reducer()(.logout, &state, AuthServices()).outline == ["next login"])
        #expect(state == .loggedOut)
    }

    @Test func `a table for a part of the environment runs in a wider one`() {
        let table: TransitionTable<AuthInput, AuthState, Int> = [
            .login | any => .loggedIn | .given { .next($0 > 2 ? .logout : .login) }
        ]
        var state = AuthState.loggedOut
        #expect(
            table.contramap { (text: String) in text.count }.reducer()(.login, &state, "abc").outline == ["next logout"]
        )
    }

    @Test(
        arguments: [
            (EffectStrategy.merge, nil), (.concat, EffectQueuePolicy.runOldest(maxCount: 1, .suspendNew)),
            (.latest, .runNewest(maxCount: 1)),
        ] as [(EffectStrategy, EffectQueuePolicy?)])
    func `a strategy is the queue of the effects that have none`(
        _ strategy: EffectStrategy, _ policy: EffectQueuePolicy?
    ) {
        struct Own: Oldest1DiscardNewEffectQueue {}
        let table: Table = [
            .login | any => .loggedIn
                | .combine(.run("own", queue: Own()) { nil }, .run("plain") { nil }, .next(.logout))
        ]
        var state = AuthState.loggedOut
        let runs = table.reducer(strategy: strategy)(.login, &state).runs
        #expect(runs.map { $0.queue?.effectQueuePolicy } == [Own().effectQueuePolicy, policy])
    }
}
