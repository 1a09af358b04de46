import Testing

@testable import JournalStore
@testable import JournalTesting

private enum Beat: Codable, Sendable, Equatable { case start, tick, stop }

/// Ticks each second, from a task of its own, as a timer of Combine or Foundation does.
private func ticks(of context: EffectContext, count: Int = .max) -> AsyncStream<Beat> {
    AsyncStream { continuation in
        let task = Task {
            for _ in 0..<count {
                try await context.clock.sleep(for: .seconds(1))
                continuation.yield(.tick)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
    }
}

private func metronome(count: Int = .max) -> Machine<Beat, Int, Void> {
    Machine("metronome", initialState: 0) { action, state, _ in
        switch action {
        case .start: return .sequence("ticks", id: "ticks") { context in ticks(of: context, count: count) }
        case .tick:
            state += 1
            return .none
        case .stop: return .cancel(id: "ticks")
        }
    }
}

@Suite struct `Bodies that start tasks of their own` {
    @Test func `the test store stops at each of their moments`() async throws {
        let store = try await TestStore(metronome())
        await store.send(.start)
        await store.advance(by: .seconds(3))
        for count in 1...3 { await store.receive(.tick) { $0 = count } }
        await store.restart()
        await store.advance(by: .seconds(2))
        for count in 4...5 { await store.receive(.tick) { $0 = count } }
        await store.send(.stop)
        await store.finish()
    }

    /// Their bodies have the same step, name and attempt.
    @Test func `two test stores with one clock wait for their own bodies`() async throws {
        let clock = ManualClock()
        let (first, second) = (
            try await TestStore(metronome(), clock: clock), try await TestStore(metronome(count: 1), clock: clock)
        )
        for store in [first, second] { await store.send(.start) }
        await first.advance(by: .seconds(1))
        for store in [first, second] { await store.receive(.tick) { $0 = 1 } }
        await second.restart()
        await first.advance(by: .seconds(3))
        for count in 2...4 { await first.receive(.tick) { $0 = count } }
        await second.finish()
        await first.advance(by: .seconds(2))
        for count in 5...6 { await first.receive(.tick) { $0 = count } }
        await first.send(.stop)
        await first.finish()
    }

    @Test func `the test store stops at each moment of several tasks of one body`() async throws {
        let machine = Machine<Beat, Int, Void>("two tasks", initialState: 0) { action, state, _ in
            switch action {
            case .start:
                return .stream("tasks") { send, context in
                    let slow = Task {
                        try await context.clock.sleep(for: .milliseconds(9_500))
                        try await send(.stop)
                    }
                    let fast = Task {
                        for _ in 0..<9 {
                            try await context.clock.sleep(for: .seconds(1))
                            try await send(.tick)
                        }
                    }
                    try await fast.value
                    try await slow.value
                }
            case .tick: state += 1
            case .stop: state = -state
            }
            return .none
        }
        let store = try await TestStore(machine)
        await store.send(.start)
        await store.advance(by: .seconds(10))
        for count in 1...9 { await store.receive(.tick) { $0 = count } }
        await store.receive(.stop) { $0 = -9 }
        await store.finish()
    }

    private func sleepers(
        of body: Stillness.Body, on clock: ManualClock, seconds: [Int]
    ) -> [Task<Void, any Error>] {
        Stillness.Body.$current.withValue(body) {
            seconds.map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        }
    }

    @Test func `a task that has ended is waited for once, not at each later moment`() async throws {
        let (clock, stillness) = (ManualClock(), Stillness())
        let body = Stillness.Body(
            journal: 1, stream: "a", step: 1, ordinal: 0, name: "tasks", attempt: 1, idempotencyKey: "",
            restart: "cancel")
        stillness.noticed(.started(body))
        let tasks = sleepers(of: body, on: clock, seconds: [1, 100])
        await clock.sleepers(2)
        clock.move(by: .seconds(1))
        #expect(await stillness.wait(on: clock))
        #expect(clock.takeSleepingBodies().asleep == [body])
        for task in tasks { task.cancel() }
    }

    @Test func `the crash matrix sees them end`() async throws {
        // Other ticks come again after a kill: what had been sent is not counted by the body.
        let machine = Machine<Beat, Bool, Void>("once", initialState: false) { action, state, _ in
            switch action {
            case .start:
                return .run("tick") { context in
                    try await Task { try await context.clock.sleep(for: .seconds(1)) }.value; return .tick
                }
            case .tick: state = true
            case .stop: break
            }
            return .none
        }
        let report = try await CrashMatrix(machine, actions: [.start]).run()
        #expect(report.cuts > 3)
    }

    @Test func `a body that waits for something else holds no call up for long`() async throws {
        let door = Signal()
        let machine = Machine<Beat, Int, Void>("door", initialState: 0) { action, state, _ in
            if action == .start {
                return .run("wait") {
                    await door.wait()
                    return .tick
                }
            }
            state += 1
            return .none
        }
        let store = try await TestStore(machine)
        await store.send(.start)
        await store.advance(by: .seconds(1))
        door.send()
        await store.receive(.tick) { $0 = 1 }
        await store.finish()
    }
}

@Suite struct `A manual clock that a journal follows` {
    private func open(_ clock: ManualClock) async throws -> Store<Beat, Int> {
        var options = Journal.Options()
        options.follow(clock)
        return try await Journal.inMemory(options: options).open(metronome(count: 5), stream: "a", clock: clock)
    }

    @Test func `it runs for a time, and what was due is reduced when it returns`() async throws {
        let clock = ManualClock()
        let store = try await open(clock)
        try await store.dispatch(.start)
        await clock.advance(by: .milliseconds(3500))
        #expect(store.state == 3)
        #expect(clock.now.offset == .milliseconds(3500))
        await clock.advance(by: .milliseconds(500))
        #expect(store.state == 4)
    }

    @Test func `it runs until nothing sleeps any more`() async throws {
        let clock = ManualClock()
        let store = try await open(clock)
        try await store.dispatch(.start)
        #expect(await clock.runUntilIdle())
        #expect(store.state == 5)
        #expect(clock.now.offset == .seconds(5))
    }

    @Test func `a timer that never ends stops it after so many moments`() async throws {
        let clock = ManualClock()
        var options = Journal.Options()
        options.follow(clock)
        let machine = Machine<Beat, Int, Void>("endless", initialState: 0) { action, state, _ in
            if action == .start { return .every(.seconds(1), .tick) }
            state += 1
            return .none
        }
        let store = try await Journal.inMemory(options: options).open(machine, stream: "a", clock: clock)
        try await store.dispatch(.start)
        #expect(await !clock.runUntilIdle(atMost: 7))
        #expect(store.state == 7)
    }

    @Test(arguments: [false, true]) func `a timer for a date is one moment, however far away it is`(
        _ isHosted: Bool
    ) async throws {
        let clock = ManualClock()
        var options = Journal.Options()
        options.follow(clock)
        let month = clock.wallClock().advanced(by: .seconds(30 * 86_400))
        let machine = Machine<Beat, Int, Void>("monthly", initialState: 0) { action, state, _ in
            if action == .start { return .at(month, .tick) }
            state += 1
            return .none
        }
        let journal = try Journal.inMemory(options: options)
        let store = try await journal.open(machine, stream: "a", clock: clock)
        try await store.dispatch(.start)
        if isHosted {
            // The host opens a closed stream when its timer is due.
            try await store.close()
            let host = try journal.host(machine, clock: clock)
            #expect(await clock.runUntilIdle(atMost: 2))
            #expect(try await host.state(of: "a") == 1)
        } else {
            #expect(await clock.runUntilIdle(atMost: 1))
            #expect(store.state == 1)
        }
        #expect(clock.wallClock() == month)
    }

    @Test func `a wall clock of its own is read every 30 seconds`() async throws {
        let clock = ManualClock()
        var options = Journal.Options()
        options.follow(clock)
        let ahead = Box(Duration.zero)
        options.wallClock = { clock.wallClock().advanced(by: ahead.value) }
        let machine = Machine<Beat, Int, Void>("monthly", initialState: 0) {
            [month = clock.wallClock()] action, state, _ in
            if action == .start { return .at(month.advanced(by: .seconds(30 * 86_400)), .tick) }
            state += 1
            return .none
        }
        let store = try await Journal.inMemory(options: options).open(machine, stream: "a", clock: clock)
        try await store.dispatch(.start)
        ahead.change { $0 = .seconds(30 * 86_400) }
        await clock.advance(by: .seconds(30))
        #expect(store.state == 1)
    }

    @Test func `its time ends with the last one that there is, however far it moves`() {
        let clock = ManualClock()
        clock.move(by: .seconds(Int64.max))
        #expect(clock.wallClock() == Timestamp(microseconds: .max))
    }
}
