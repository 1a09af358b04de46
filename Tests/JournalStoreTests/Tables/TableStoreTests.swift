import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A store of a transition table`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a refused input leaves no trace in the state, and is journaled as rejected`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(auth(), stream: "a", environment: AuthServices())
        let refused = try await store.dispatch(.logout)
        #expect(refused.outcome == .rejected(reason: "No row for 'logout' in the state 'loggedOut'."))
        #expect(store.state == .loggedOut)
        try await store.close()
        #expect(try sql("SELECT step, name, outcome FROM journal") == ["1|logout|rejected"])
        #expect(try sql("SELECT reason FROM step_record") == ["No row for 'logout' in the state 'loggedOut'."])
        #expect(try sql("SELECT count(*) FROM effect_run") == ["0"])
        try await journal.close()
    }

    /// It gave some cases other names.
    @Test(arguments: [
        ("No row for 'main.Event' in the state 'main.State'.", true),
        ("No row for 'login' in the state 'loggedOut'.", false),
        ("No transition for 'logout' in the state 'loggedOut'.", false), ("No row for logout.", false), ("no", false),
    ])
    func `the reason that version 0_1_0 gave is the same`(_ reason: String, _ isSame: Bool) async throws {
        let journal = try openJournal(path)
        let machine = auth()
        let store = try await journal.open(machine, stream: "a", environment: AuthServices())
        try await store.dispatch(.logout)
        try await journal.close()
        let text = reason.replacing("'", with: "''")
        try Shell(path).change("UPDATE step_record SET reason = '\(text)' WHERE step = 1")
        let replayer = try Replayer(
            machine, environment: AuthServices(), reader: JournalReader(path: path), stream: "a")
        #expect(try replayer.verify().isFaithful == isSame)
    }

    @Test(arguments: [EffectStrategy.merge, .concat, .latest])
    func `a refused input starts no effect and interrupts none`(_ strategy: EffectStrategy) async throws {
        let (entered, leave) = (Signal(), Signal())
        let services = AuthServices { _, _ in
            entered.send()
            await leave.wait()
        }
        let journal = try openJournal(path)
        let store = try await journal.open(auth(strategy), stream: "a", environment: services)
        let login = try await store.dispatch(.login)
        await entered.wait()
        try await store.dispatch(.login)
        try await store.dispatch(.logoutOK)
        leave.send()
        await login.completion()
        #expect(store.state == .loggedIn)
        try await store.close()
        #expect(
            try sql("SELECT step, name, origin, outcome FROM journal") == [
                "1|login|dispatched|reduced", "2|login|dispatched|rejected", "3|logoutOK|dispatched|rejected",
                "4|loginOK|effect|reduced",
            ])
        #expect(try sql("SELECT step, status FROM effect_run") == ["1|completed"])
        try await journal.close()
    }

    @Test func `with the strategy latest a new effect cancels the one that runs`() async throws {
        let (entered, leave) = (Signal(), Signal())
        let services = AuthServices { name, _ in
            entered.send()
            if name == "login" { await leave.wait() }
        }
        let journal = try openJournal(path)
        let store = try await journal.open(auth(.latest), stream: "a", environment: services)
        try await store.dispatch(.login)
        await entered.wait()
        let forced = try await store.dispatch(.forceLogout)
        await forced.completion()
        leave.send()
        #expect(store.state == .loggedOut)
        try await store.close()
        let runs = try sql("SELECT name, status FROM effect_run ORDER BY step")
        #expect(
            runs == [
                "login|evicted", "forceLogout|completed",
            ])
        try await journal.close()
    }

    @Test func `with the strategy latest a transition without an effect cancels nothing`() async throws {
        let (entered, leave) = (Signal(), Signal())
        let services = AuthServices { _, _ in
            entered.send()
            await leave.wait()
        }
        let journal = try openJournal(path)
        let store = try await journal.open(auth(.latest), stream: "a", environment: services)
        let login = try await store.dispatch(.login)
        await entered.wait()
        try await store.dispatch(.loginOK)
        leave.send()
        await login.completion()
        try await store.close()
        #expect(
            try sql("SELECT step, name, origin, outcome FROM journal") == [
                "1|login|dispatched|reduced", "2|loginOK|dispatched|reduced", "3|loginOK|effect|rejected",
            ])
        #expect(try sql("SELECT name, status FROM effect_run") == ["login|completed"])
        try await journal.close()
    }

    @Test func `a table's history replays, and another table that moves elsewhere is found`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(auth(), stream: "a", environment: AuthServices())
        for input in [.login, .login, .logout, .forceLogout] as [AuthInput] {
            await (try await store.dispatch(input, trackingFeedback: true)).completion()
        }
        #expect(store.state == .loggedOut)
        try await store.close()
        try await journal.close()
        let reader = try JournalReader(path: path)
        let replayer = try Replayer(auth(), environment: AuthServices(), reader: reader, stream: "a")
        #expect(try replayer.verify().divergence == nil)
        #expect(try replayer.state(at: 1) == .loggingIn)
        let first: TransitionTable<AuthInput, AuthState, AuthServices> = [.login | any => .loggedIn]
        let other = first + authTable
        let changed = Machine("auth", initialState: AuthState.loggedOut, table: other, strategy: .latest)
        let divergence = try Replayer(changed, environment: AuthServices(), reader: reader, stream: "a").verify()
            .divergence
        #expect(divergence?.step == 1)
    }

    @Test func `a table ends the same wherever it is killed, and each service is called under one key`() async throws {
        for strategy in [EffectStrategy.merge, .concat, .latest] {
            let inputs: [AuthInput] = [.logout, .login, .logout, .login, .forceLogout]
            var matrix = CrashMatrix(auth(strategy), actions: inputs) { outside in
                AuthServices { outside.call($0, key: $1) }
            }
            matrix.cutsTwice = strategy == .latest
            let report = try await matrix.run()
            #expect(report.effects == 4 && report.cuts > 20 && report.unfinished == 0, "\(report)")
        }
    }

    @Test func `a table whose strategy was changed keeps its queue`() async throws {
        let sweep: @Sendable (String) -> Effect<AuthInput> = { .perform(Chore.sweep($0)) }
        let table: TransitionTable<AuthInput, AuthState, AuthServices> = [
            .login | .loggedOut => .loggingIn | sweep("in"),
            .forceLogout | .loggingIn => .loggedOut | sweep("out"),
        ]
        func machine(_ strategy: EffectStrategy) -> Machine<AuthInput, AuthState, AuthServices> {
            let reducer = table.reducer(strategy: strategy).handling(Chore.self) { _, _, _ in
                try await forever()
                return nil
            }
            return Machine("auth", initialState: .loggedOut, reducer: reducer)
        }
        let journal = try openJournal(path)
        let before = try await journal.open(machine(.latest), stream: "a", environment: AuthServices())
        try await before.dispatch(.login)
        try await before.close()
        let now = try await journal.open(machine(.concat), stream: "a", environment: AuthServices())
        try await now.dispatch(.forceLogout)
        try await now.flush()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["running", "waiting"])
        #expect(try sql("SELECT count(*) FROM effect_queue") == ["1"])
        try await journal.close()
    }

    /// Logs in with a timeout; the body says its name and waits.
    private func withTimeout(
        _ strategy: EffectStrategy, _ started: Signal
    ) -> Machine<AuthInput, AuthState, AuthServices> {
        let body: @Sendable (String) -> Effect<AuthInput> = { name in
            .run(name) {
                started.send()
                try await forever()
                return nil
            }
        }
        let table: TransitionTable<AuthInput, AuthState, AuthServices> = [
            .login | .loggedOut => .loggingIn | body("login") + body("log") + .after(.seconds(30), .forceLogout),
            .forceLogout | .loggingIn => .loggedOut,
        ]
        return Machine("auth", initialState: .loggedOut, table: table, strategy: strategy)
    }

    @Test(arguments: [EffectStrategy.merge, .concat, .latest])
    func `the effects of one row run together, and its timer fires`(_ strategy: EffectStrategy) async throws {
        let started = Signal()
        let journal = try openJournal(path, clock)
        let store = try await journal.open(
            withTimeout(strategy, started), stream: "a", environment: AuthServices(), clock: clock)
        try await store.dispatch(.login)
        await started.wait(times: 2)
        await clock.sleepers(1)
        clock.move(by: .seconds(30))
        for await state in store.states where state == .loggedOut { break }
        try await journal.close()
        let runs = try sql("SELECT name, status FROM effect_run ORDER BY ordinal")
        #expect(runs == ["login|running", "log|running", "forceLogout|completed"])
    }

    @Test func `two tables with names of their own do not cancel each other's effects`() async throws {
        let started = Signal()
        func table(_ input: AuthInput) -> TransitionTable<AuthInput, AuthState, AuthServices> {
            [
                input | .loggedOut => .loggedOut
                    | .run("\(input)") {
                        started.send()
                        try await forever()
                        return nil
                    }
            ]
        }
        let one = table(.login).reducer(strategy: .latest, name: "one")
        let two = table(.logout).reducer(strategy: .latest, name: "two")
        let machine = Machine<AuthInput, AuthState, AuthServices>("auth", initialState: .loggedOut) {
            input, state, services, step in
            input == .login
                ? one.reduce(input, &state, services, &step) : two.reduce(input, &state, services, &step)
        }
        let journal = try openJournal(path, clock)
        let store = try await journal.open(machine, stream: "a", environment: AuthServices())
        for input in [AuthInput.login, .logout] { try await store.dispatch(input) }
        await started.wait(times: 2)
        try await journal.close()
        #expect(try sql("SELECT name, status FROM effect_run") == ["login|running", "logout|running"])
    }
}
