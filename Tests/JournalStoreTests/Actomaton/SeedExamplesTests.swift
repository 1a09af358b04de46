import Foundation
import JournalTesting
import Testing

@testable import JournalStore

// The examples of Actomaton's README, with names changed, on a journal.

@Suite struct `Actomaton: the examples of its README` {
    /// Rows of the view for people.
    private static let journal = "SELECT step, name, origin, cause, outcome FROM journal"

    // MARK: 1-1

    @Test func `the counter journals each action`() async throws {
        struct State: Codable, Sendable, Equatable {
            var count: Int = 0
        }

        enum Action: Codable, Sendable {
            case increment
            case decrement
        }

        typealias Environment = Void

        let reducer: Reducer<Action, State, Environment>
        reducer = Reducer { action, state, environment in
            switch action {
            case .increment:
                state.count += 1
                return Effect.empty
            case .decrement:
                state.count -= 1
                return Effect.empty
            }
        }

        let bench = try Workbench()
        let store = try await bench.journal.open(
            Machine("counter", initialState: State(), reducer: reducer), stream: "a")

        #expect(store.state.count == 0)
        try await store.dispatch(.increment)
        #expect(store.state.count == 1)
        try await store.dispatch(.increment)
        #expect(store.state.count == 2)
        try await store.dispatch(.decrement)
        #expect(store.state.count == 1)
        try await store.dispatch(.decrement)
        #expect(store.state.count == 0)

        #expect(
            try await bench.sql(
                "SELECT stream, step, time, name, action, origin, cause, outcome FROM journal", after: store)
                == [
                    #"a|1|2026-01-01T00:00:00.000000Z|increment|{"increment":{}}|dispatched||reduced"#,
                    #"a|2|2026-01-01T00:00:00.000000Z|increment|{"increment":{}}|dispatched||reduced"#,
                    #"a|3|2026-01-01T00:00:00.000000Z|decrement|{"decrement":{}}|dispatched||reduced"#,
                    #"a|4|2026-01-01T00:00:00.000000Z|decrement|{"decrement":{}}|dispatched||reduced"#,
                ])
        try await bench.journal.close()
    }

    @Test func `the logging counter runs its fireAndForget effects`() async throws {
        enum Action: Codable, Sendable { case increment, decrement }
        let printed = Box<[String]>([])
        let print: @Sendable (String) -> Void = { line in printed.change { $0.append(line) } }
        let bench = try Workbench()
        let clock = bench.clock

        let reducer = Reducer<Action, Int, Void> { action, state, environment in
            switch action {
            case .increment:
                state += 1
                return Effect.fireAndForget {
                    print("increment")
                }
            case .decrement:
                state -= 1
                return Effect.fireAndForget {
                    print("decrement and sleep...")
                    try await clock.sleep(for: .seconds(1))
                    print("I'm awake!")
                }
            }
        }

        let store = try await bench.journal.open(
            Machine("counter", initialState: 0, reducer: reducer), stream: "a", clock: bench.clock)
        let increment = try await store.dispatch(.increment)
        await increment.completion()
        let decrement = try await store.dispatch(.decrement)
        await clock.sleepers(1)
        #expect(printed.value == ["increment", "decrement and sleep..."])
        clock.move(by: .seconds(1))
        await decrement.completion()
        #expect(printed.value == ["increment", "decrement and sleep...", "I'm awake!"])
        #expect(
            try await bench.sql(Self.journal, after: store)
                == ["1|increment|dispatched||reduced", "2|decrement|dispatched||reduced"])
        #expect(try await bench.runs(store) == ["increment|completed", "decrement|completed"])
        try await bench.journal.close()
    }

    // MARK: 1-2

    private enum Login {
        enum State: Codable, Sendable {
            case loggedOut, loggingIn, loggedIn, loggingOut
        }

        enum Action: Codable, Sendable {
            case login, loginOK, logout, logoutOK
            case forceLogout
        }

        /// The queue cancels the old effect when there is a new one; the ID is for cancelling by hand.
        struct LoginFlowEffectQueue: Newest1EffectQueueProtocol {}
        struct LoginFlowEffectID: EffectIDProtocol {}

        struct Environment: Sendable {
            let loginEffect: @Sendable (_ userID: String) -> Effect<Action>
            let logoutEffect: @Sendable () -> Effect<Action>
            let failed: Signal
        }

        static let reducer = Reducer<Action, State, Environment> { action, state, environment in
            switch (action, state) {
            case (.login, .loggedOut):
                state = .loggingIn
                return environment.loginEffect("user-1")

            case (.loginOK, .loggingIn):
                state = .loggedIn
                return .empty

            case (.logout, .loggedIn),
                (.forceLogout, .loggingIn),
                (.forceLogout, .loggedIn):
                state = .loggingOut
                return environment.logoutEffect()

            case (.logoutOK, .loggingOut):
                state = .loggedOut
                return .empty

            default:
                return Effect.fireAndForget {
                    environment.failed.send()
                }
            }
        }

        /// The network answers after a second.
        static func environment(_ clock: ManualClock, isLoginCancelled: Watched<Bool>, failed: Signal) -> Environment {
            Environment(
                loginEffect: { userID in
                    Effect(id: LoginFlowEffectID(), queue: LoginFlowEffectQueue()) {
                        try? await clock.sleep(for: .seconds(1))
                        if Task.isCancelled {
                            isLoginCancelled.change { $0 = true }
                            return nil
                        }
                        return Action.loginOK  // next action
                    }
                },
                logoutEffect: {
                    Effect(id: LoginFlowEffectID(), queue: LoginFlowEffectQueue()) {
                        try? await clock.sleep(for: .seconds(1))
                        if Task.isCancelled { return nil }
                        return Action.logoutOK  // next action
                    }
                },
                failed: failed)
        }

        static let machine = Machine("login", initialState: State.loggedOut, reducer: reducer)
    }

    @Test func `login and logout complete when their effects end`() async throws {
        let bench = try Workbench()
        let isLoginCancelled = Watched(false)
        let store = try await bench.journal.open(
            Login.machine, stream: "a",
            environment: Login.environment(bench.clock, isLoginCancelled: isLoginCancelled, failed: Signal()),
            clock: bench.clock)

        var t: Dispatched<Login.Action>?

        #expect(store.state == .loggedOut)

        t = try await store.dispatch(.login)
        #expect(store.state == .loggingIn)

        await bench.clock.sleepers(1)
        bench.clock.move(by: .seconds(1))
        await t?.completion()  // wait for previous effect
        #expect(store.state == .loggedIn)

        t = try await store.dispatch(.logout)
        #expect(store.state == .loggingOut)

        await bench.clock.sleepers(1)
        bench.clock.move(by: .seconds(1))
        await t?.completion()  // wait for previous effect
        #expect(store.state == .loggedOut)

        #expect(!isLoginCancelled.read { $0 })
        #expect(
            try await bench.sql(Self.journal, after: store) == [
                "1|login|dispatched||reduced", "2|loginOK|effect|step 1, effect 0|reduced",
                "3|logout|dispatched||reduced", "4|logoutOK|effect|step 3, effect 0|reduced",
            ])
        #expect(try await bench.runs(store) == ["login|completed", "logout|completed"])
        try await bench.journal.close()
    }

    @Test func `forceLogout cancels a login through their shared queue`() async throws {
        let bench = try Workbench()
        let isLoginCancelled = Watched(false)
        let store = try await bench.journal.open(
            Login.machine, stream: "a",
            environment: Login.environment(bench.clock, isLoginCancelled: isLoginCancelled, failed: Signal()),
            clock: bench.clock)

        #expect(store.state == .loggedOut)

        try await store.dispatch(.login)
        #expect(store.state == .loggingIn)

        // Wait for a while and interrupt by `forceLogout`.
        // Login's effect is cancelled because both are in the same queue.
        await bench.clock.sleepers(1)
        bench.clock.move(by: .milliseconds(1))
        let t = try await store.dispatch(.forceLogout)

        #expect(store.state == .loggingOut)

        await bench.clock.sleepers(1)
        #expect(bench.clock.nextWake == .seconds(1), "only the logout still sleeps")
        bench.clock.move(by: .seconds(1))
        await t.completion()  // wait for previous effect
        #expect(store.state == .loggedOut)
        #expect(await isLoginCancelled.wait { $0 ? true : nil } == true)
        #expect(
            try await bench.sql(Self.journal, after: store) == [
                "1|login|dispatched||reduced", "2|forceLogout|dispatched||reduced",
                "3|logoutOK|effect|step 2, effect 0|reduced",
            ])
        #expect(try await bench.runs(store) == ["login|evicted", "forceLogout|completed"])
        try await bench.journal.close()
    }

    @Test func `a second login changes no state and starts no login effect`() async throws {
        let bench = try Workbench()
        let failed = Signal()
        let store = try await bench.journal.open(
            Login.machine, stream: "a",
            environment: Login.environment(bench.clock, isLoginCancelled: Watched(false), failed: failed),
            clock: bench.clock)
        try await store.dispatch(.login)
        try await store.dispatch(.login)
        await failed.wait()
        #expect(store.state == .loggingIn)
        #expect(
            try await bench.sql(Self.journal, after: store)
                == ["1|login|dispatched||reduced", "2|login|dispatched||reduced"])
        #expect(try bench.sql("SELECT step, name FROM running_effects WHERE queue IS NOT NULL") == ["1|login"])
        try await bench.journal.close()
    }

    // MARK: 1-3

    private enum Timer {
        enum Action: Codable, Sendable {
            case start, tick, stop
        }

        struct TimerID: EffectIDProtocol {}

        struct Environment: Sendable {
            let timerEffect: Effect<Action>
        }

        static let reducer = Reducer<Action, Int, Environment> { action, state, environment in
            switch action {
            case .start:
                return environment.timerEffect
            case .tick:
                state += 1
                return .empty
            case .stop:
                return Effect.cancel(id: TimerID())
            }
        }

        static func environment(_ clock: ManualClock, stopped: Signal) -> Environment {
            Environment(
                timerEffect: Effect(
                    id: TimerID(),
                    sequence: {
                        AsyncStream<Action> { continuation in
                            let task = Task {
                                while true {
                                    try await clock.sleep(for: .seconds(1))
                                    continuation.yield(.tick)
                                }
                            }

                            continuation.onTermination = { @Sendable _ in
                                task.cancel()
                                stopped.send()
                            }
                        }
                    })
            )
        }
    }

    @Test func `the timer ticks until its ID is cancelled`() async throws {
        let bench = try Workbench()
        let stopped = Signal()
        let store = try await bench.journal.open(
            Machine("timer", initialState: 0, reducer: Timer.reducer), stream: "a",
            environment: Timer.environment(bench.clock, stopped: stopped), clock: bench.clock)

        #expect(store.state == 0)

        try await store.dispatch(.start)

        #expect(store.state == 0)

        for second in 1...3 {
            await bench.clock.sleepers(1)
            bench.clock.move(by: .seconds(1))
            await store.reaches { $0 == second }
        }

        await bench.clock.sleepers(1)
        try await store.dispatch(.stop)
        await stopped.wait()
        #expect(bench.clock.nextWake == nil, "the timer's own task has ended")
        bench.clock.move(by: .seconds(100))
        #expect(store.state == 3, "Should not increment because timer is stopped.")

        #expect(
            try await bench.sql("SELECT step, time, name, origin, cause FROM journal", after: store) == [
                "1|2026-01-01T00:00:00.000000Z|start|dispatched|",
                "2|2026-01-01T00:00:01.000000Z|tick|effect|step 1, effect 0",
                "3|2026-01-01T00:00:02.000000Z|tick|effect|step 1, effect 0",
                "4|2026-01-01T00:00:03.000000Z|tick|effect|step 1, effect 0",
                "5|2026-01-01T00:00:03.000000Z|stop|dispatched|",
            ])
        #expect(try bench.sql("SELECT name, status, delivered FROM effect_run") == ["start|cancelled|3"])
        try await bench.journal.close()
    }

    // MARK: 1-4

    private enum Download {
        enum Action: Codable, Sendable {
            case fetch(id: String)
            case _didFetch(Data)
        }

        struct State: Codable, Sendable {}  // no state

        struct Environment: Sendable {
            let fetch: @Sendable (_ id: String) async throws -> Data
        }

        struct DelayedEffectQueue: EffectQueueProtocol {
            // First 3 effects will run concurrently, and other sent effects will be suspended.
            var effectQueuePolicy: EffectQueuePolicy {
                .runOldest(maxCount: 3, .suspendNew)
            }

            // Adds delay between effect start. (This is useful for throttling / deboucing)
            var effectQueueDelay: EffectQueueDelay {
                .random(0.1...0.3)
            }
        }

        static let reducer = Reducer<Action, State, Environment> { action, state, environment in
            switch action {
            case .fetch(let id):
                return Effect(queue: DelayedEffectQueue()) {
                    let data = try await environment.fetch(id)
                    return ._didFetch(data)
                }
            case ._didFetch:
                // Do something with `data`.
                return .empty
            }
        }
    }

    @Test func `the download queue runs three effects at once and delays their starts`() async throws {
        let bench = try Workbench()
        let doors = ["item1": Door(), "item2": Door(), "item3": Door(), "item4": Door()]
        let started = Signal()
        let environment = Download.Environment(fetch: { id in
            started.send()
            await doors[id]?.pass()
            return Data(id.utf8)
        })
        let store = try await bench.journal.open(
            Machine("download", initialState: Download.State(), reducer: Download.reducer), stream: "a",
            environment: environment, clock: bench.clock)
        let statuses = "SELECT status FROM effect_run ORDER BY step"

        try await store.dispatch(.fetch(id: "item1"))
        let second = try await store.dispatch(.fetch(id: "item2"))  // min delay of 0.1
        try await store.dispatch(.fetch(id: "item3"))  // min delay of 0.1 (after item2 actually starts)
        let fourth = try await store.dispatch(.fetch(id: "item4"))  // starts when item1 or 2 or 3 finishes

        await started.wait()
        for expected in [["running", "running", "waiting", "waiting"], ["running", "running", "running", "waiting"]] {
            await bench.clock.sleepers(1)
            let delay = try #require(bench.clock.nextWake)
            #expect(delay >= .seconds(0.1) && delay <= .seconds(0.3))
            bench.clock.move(by: delay)
            await started.wait()
            let found = try await bench.sql(statuses, after: store)
            // The next one has a slot and waits for its delay; the one after it waits for a slot.
            #expect(found.map { $0 == "delayed" ? "waiting" : $0 } == expected)
        }
        doors["item2"]?.open()
        await second.completion()
        await bench.clock.sleepers(1)
        bench.clock.move(by: .seconds(0.3))
        await started.wait()
        #expect(try await bench.sql(statuses, after: store) == ["running", "completed", "running", "running"])
        doors["item4"]?.open()
        await fourth.completion()

        #expect(
            try await bench.sql("SELECT step, name, action, origin, cause, outcome FROM journal", after: store) == [
                #"1|fetch|{"fetch":{"id":"item1"}}|dispatched||reduced"#,
                #"2|fetch|{"fetch":{"id":"item2"}}|dispatched||reduced"#,
                #"3|fetch|{"fetch":{"id":"item3"}}|dispatched||reduced"#,
                #"4|fetch|{"fetch":{"id":"item4"}}|dispatched||reduced"#,
                #"5|_didFetch|{"_didFetch":{"_0":"aXRlbTI="}}|effect|step 2, effect 0|reduced"#,
                #"6|_didFetch|{"_didFetch":{"_0":"aXRlbTQ="}}|effect|step 4, effect 0|reduced"#,
            ])
        #expect(
            try bench.sql(
                """
                SELECT count(*) FROM effect_run AS one JOIN effect_run AS next ON next.step = one.step + 1
                WHERE next.started - one.started BETWEEN 99999 AND 300001
                """) == ["3"], "each starts at least 0.1 seconds after the one before it")
        for door in doors.values { door.open() }
        try await bench.journal.close()
    }
}
