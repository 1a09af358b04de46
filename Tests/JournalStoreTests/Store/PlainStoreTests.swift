import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

private enum CounterAction: Codable {
    case increment, decrement, reset
}

private func updateCounter(state: inout Int, action: CounterAction) {
    switch action {
    case .increment:
        state += 1
    case .decrement:
        state = max(0, state - 1)
    case .reset:
        state = 0
    }
}

private enum StopwatchAction: Codable {
    case start, stop, increment, reset
}

private func updateStopwatch(state: inout Int, action: StopwatchAction) {
    switch action {
    case .reset:
        state = 0
    case .increment:
        state += 1
    case .start, .stop:
        break
    }
}

/// A timer that the test fires.
private final class Timer: Sendable {
    private let current = Watched<(@Sendable () -> Void)?>(nil)

    func set(_ new: (@Sendable () -> Void)?) { current.change { $0 = new } }

    /// Waits until there is a handler.
    func handler() async throws -> @Sendable () -> Void { try #require(await current.wait { $0 }) }

    func fire() async throws { try await handler()() }
}

private func createStopwatchEffect(_ timer: Timer) -> PlainEffect<Int, StopwatchAction> {
    { _, action, dispatch in
        switch action {
        case .start:
            timer.set { dispatch(.increment) }
        case .stop, .reset:
            timer.set(nil)
        case .increment:
            break
        }
    }
}

@Suite struct `The smallest store` {
    let folder: TemporaryFolder
    let path: String
    private let timer = Timer()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    private func sql(_ query: String) throws -> [String] { try Shell(path, readOnly: true)(query) }

    /// The statuses of the effects of `start` and `stop`.
    private func stopwatchEffects(_ path: String) throws -> [String] {
        try Shell(path, readOnly: true)("SELECT name, status FROM effect_run WHERE name <> 'increment' ORDER BY step")
    }

    private func openStopwatch() async throws -> PlainStore<StopwatchAction, Int> {
        try await onThread { [path, timer] in
            try PlainStore(state: 0, update: updateStopwatch, effect: createStopwatchEffect(timer), journal: path)
        }
    }

    @Test func `an update function is enough for a journaled counter`() async throws {
        try await onThread { [path] in
            var store = try PlainStore(state: 0, update: updateCounter, journal: path)
            try store.dispatch(.increment)
            try store.dispatch(.increment)
            try store.dispatch(.decrement)
            try store.dispatch(.increment)
            #expect(store.state == 2)
            try store.join()
            try store.close()
            store = try PlainStore(state: 0, update: updateCounter, journal: path)
            #expect(store.state == 2)
            try store.dispatch(.reset)
            #expect(store.state == 0)
            try store.close()
        }
        #expect(
            try sql("SELECT stream, step, name, outcome FROM journal") == [
                "main|1|increment|reduced", "main|2|increment|reduced", "main|3|decrement|reduced",
                "main|4|increment|reduced", "main|5|reset|reduced",
            ])
        #expect(try sql("SELECT count(*) FROM effect_run") == ["0"])
    }

    @Test func `the effect function is called for each action, one call after the other, with the state after it`()
        async throws
    {
        let calls = Box<[String]>([])
        try await onThread { [path] in
            let allDispatched = DispatchSemaphore(value: 0)
            let store = try PlainStore(
                state: 0, update: { (state: inout Int, action: Int) in state += action },
                effect: { state, action, _ in
                    calls.change { $0.append("\(action) begins") }
                    if action == 1 { allDispatched.wait() }
                    calls.change { $0.append("\(action) ends: \(state)") }
                }, journal: path)
            for number in 1...200 { try store.dispatch(number) }
            allDispatched.signal()
            try store.join()
            try store.close()
        }
        #expect(calls.value == (1...200).flatMap { ["\($0) begins", "\($0) ends: \($0 * ($0 + 1) / 2)"] })
        #expect(try sql("SELECT status, count(*) FROM effect_run GROUP BY status") == ["completed|200"])
    }

    @Test func `after a restart the calls that had not ended are made again in order`() async throws {
        let calls = Box<[Int]>([])
        let killed = folder.path("killed.db")
        try await onThread { [path] in
            let isKilled = DispatchSemaphore(value: 0)
            let store = try PlainStore(
                state: 0, update: { (state: inout Int, action: Int) in state += action },
                effect: { _, action, _ in if action == 1 { isKilled.wait() } }, journal: path)
            for number in 1...20 { try store.dispatch(number) }
            // All are recorded as running, and none has returned.
            try Waiting<Void>.for { reply in
                inTask(reply) { () async throws(JournalError) in try await store.store.store.flush() }
            }
            try Shell(path)("VACUUM INTO '\(killed)'")
            isKilled.signal()
            try store.close()

            let again = try PlainStore(
                state: 0, update: { (state: inout Int, action: Int) in state += action },
                effect: { _, action, _ in calls.change { $0.append(action) } }, journal: killed)
            try again.join()
            try again.close()
        }
        #expect(calls.value == Array(1...20))
    }

    /// The record of the older call says that it was started, that of the newer one is not written yet.
    @Test func `after a kill a call whose start was not recorded is made after the older ones`() async throws {
        let calls = Box<[Int]>([])
        let killed = folder.path("killed.db")
        try await onThread { [path] in
            @Sendable func open(_ path: String) throws -> PlainStore<Int, Int> {
                try PlainStore(
                    state: 0, update: { (state: inout Int, action: Int) in state += action },
                    effect: { _, action, _ in calls.change { $0.append(action) } }, journal: path)
            }
            let isKilled = DispatchSemaphore(value: 0)
            let journal = try openJournal(path) { $0.idleDelay = .seconds(3_600) }
            let store = try PlainStore(
                state: 0, update: { (state: inout Int, action: Int) in state += action },
                effect: { _, action, _ in if action == 1 { isKilled.wait() } }, journal: journal)
            try store.dispatch(1)
            try Waiting<Void>.for { reply in
                inTask(reply) { () async throws(JournalError) in try await store.store.store.flush() }
            }
            for number in 2...5 { try store.dispatch(number) }
            try Shell(path)("VACUUM INTO '\(killed)'")
            isKilled.signal()
            try store.close()
            #expect(try Shell(killed)("SELECT min(step), max(step) < 5 FROM effect_run") == ["1|1"])

            let again = try open(killed)
            try again.join()
            try again.close()
        }
        #expect(calls.value == [1, 2, 3, 4, 5])
    }

    /// The machine is one value, and its stores share it.
    @Test func `a call that blocks does not stop the calls of another store of the same machine`() async throws {
        let (blocked, called) = (DispatchSemaphore(value: 0), Signal())
        let machine = Machine<String, Int, Void>(
            "plain", initialState: 0, update: { state, _ in state += 1 },
            effect: { _, action, _ in if action == "block" { blocked.wait() } else { called.send() } })
        let journal = try openJournal(path)
        let first = try await journal.open(machine, stream: "first")
        let second = try await journal.open(machine, stream: "second")
        try await first.dispatch("block")
        let other = try await second.dispatch("go on")
        await called.wait()
        await other.completion()
        blocked.signal()
        try await journal.close()
    }

    @Test func `join waits for all that effects lead to`() async throws {
        let state = try await onThread { [path] in
            let store = try PlainStore(
                state: 0, update: { (state: inout Int, _: Int) in state += 1 },
                effect: { _, action, dispatch in
                    guard action > 0 else { return }
                    Thread.detachNewThread {
                        dispatch(action - 1)
                        if action % 2 == 0 { dispatch(0) }
                    }
                }, journal: path)
            try store.dispatch(20)
            try store.join()
            defer { try? store.close() }
            return store.state
        }
        #expect(state == 31)
    }

    @Test func `a stream that cannot be opened leaves the journal closed`() async throws {
        try await onThread { [path] in
            try PlainStore(state: 0, update: { (state: inout Int, _: String) in state += 1 }, journal: path).close()
            #expect(throws: JournalError.self) {
                try PlainStore(
                    state: 0, update: { (state: inout Int, _: String) in state += 1 }, journal: path, name: "")
            }
            try PlainStore(state: 0, update: { (state: inout Int, _: String) in state += 1 }, journal: path).close()
        }
    }

    @Test func `an initial action that cannot be stored leaves the journal closed`() async throws {
        for initial in [Double.nan, 1] {
            let state = try? await onThread { [path] in
                let store = try PlainStore(state: 0, update: { $0 += $1 }, initialAction: initial, journal: path)
                defer { try? store.close() }
                return store.state
            }
            #expect(state == (initial.isNaN ? nil : 1))
        }
    }

    @Test func `an initial action is dispatched once in the life of a stream`() async throws {
        for launch in 1...2 {
            let state = try await onThread { [path] in
                let store = try PlainStore(
                    state: 0, update: updateCounter, initialAction: launch == 1 ? .increment : .reset, journal: path)
                defer { try? store.close() }
                return store.state
            }
            #expect(state == 1)
        }
        #expect(try sql("SELECT name FROM journal") == ["increment"])
    }

    @Test func `a stopwatch ticks until it is stopped`() async throws {
        let store = try await openStopwatch()
        try await onThread { try store.dispatch(.start) }
        for count in 1...3 {
            try await timer.fire()
            await store.store.store.reaches { $0 == count }
        }
        try await onThread {
            try store.dispatch(.stop)
            try store.join()
            try store.close()
        }
        #expect(try sql("SELECT name, status, delivered FROM effect_run ORDER BY step").first == "start|completed|3")
        #expect(try sql("SELECT count(*) FROM journal WHERE origin = 'effect'") == ["3"])
    }

    @Test(arguments: ["close", "kill"])
    func `a stopwatch that runs goes on after a restart`(_ end: String) async throws {
        var store = try await openStopwatch()
        try await onThread { [store] in try store.dispatch(.start) }
        try await timer.fire()
        await store.store.store.reaches { $0 == 1 }
        try await store.store.store.flush()
        // What a kill leaves: the file as it is now.
        if end == "kill" { try Shell(path)("VACUUM INTO '\(folder.path("killed.db"))'") }
        try await onThread { [store] in try store.close() }
        try await timer.fire()
        #expect(store.state == 1, "a closed store hears nothing")
        timer.set(nil)

        store = try await onThread { [path = end == "kill" ? folder.path("killed.db") : path, timer] in
            try PlainStore(state: 0, update: updateStopwatch, effect: createStopwatchEffect(timer), journal: path)
        }
        let resumed = store.store.store.recovery.resumed.map(\.name)
        // At a kill the call for the tick can be held still. A close waits until it is not.
        #expect(end == "kill" ? resumed.first == "start" : resumed == ["start"])
        try await timer.fire()
        await store.store.store.reaches { $0 == 2 }
        try await onThread { [store] in
            try store.dispatch(.stop)
            try store.join()
            #expect(store.state == 2)
            try store.close()
        }
    }

    @Test func `a call that may end an older one ends with it, so that after a kill both are made again`() async throws
    {
        let clock = ManualClock()
        let journal = try Journal(path: path)
        let store = try await onThread { [timer] in
            try PlainStore(
                state: 0, update: updateStopwatch, effect: createStopwatchEffect(timer), journal: journal, clock: clock)
        }
        try await onThread { try store.dispatch(.start) }
        // As Dispatch does, which releases the handler of a cancelled timer later.
        var late: (@Sendable () -> Void)? = try await timer.handler()
        try await onThread { try store.dispatch(.stop) }
        await clock.sleepers(1)
        try await store.store.store.flush()
        #expect(try stopwatchEffects(path) == ["start|running", "stop|running"])
        let killed = folder.path("killed.db")
        try Shell(path)("VACUUM INTO '\(killed)'")

        withExtendedLifetime(late) {}
        late = nil
        async let closing: Void = onThread { try store.close() }
        clock.move(by: PlainCalls.hold)
        try await closing
        #expect(try stopwatchEffects(path) == ["start|completed", "stop|completed"])

        let again = try await onThread { [timer] in
            try PlainStore(state: 0, update: updateStopwatch, effect: createStopwatchEffect(timer), journal: killed)
        }
        #expect(again.store.store.recovery.resumed.map(\.name) == ["start", "stop"])
        try await onThread {
            try again.join()
            try again.close()
        }
        #expect(try stopwatchEffects(killed) == ["start|completed", "stop|completed"])
    }

    @Test func `a close does not wait for a call that blocks`() async throws {
        // On this clock no hold ends.
        let (journal, clock) = (try Journal(path: path), ManualClock())
        try await onThread {
            let (isCalled, mayReturn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
            let kept = Box<[@Sendable (Int) -> Void]>([])
            let store = try PlainStore(
                state: 0, update: { (state: inout Int, action: Int) in state += action },
                effect: { _, action, dispatch in
                    // The first is never released, so that the second is held; the third blocks.
                    if action == 1 { kept.change { $0.append(dispatch) } }
                    if action == 3 {
                        isCalled.signal()
                        mayReturn.wait()
                    }
                }, journal: journal, clock: clock)
            for number in 1...3 { try store.dispatch(number) }
            isCalled.wait()
            try store.close()
            mayReturn.signal()
            kept.change { $0 = [] }
        }
        let runs = try sql("SELECT step, status FROM effect_run ORDER BY step")
        #expect(runs == ["1|running", "2|running", "3|running"])
    }

    @Test func `a close waits for the calls that are held when it begins, and not for later ones`() async throws {
        let (calls, clock) = (PlainCalls(), ManualClock())
        let oldest = calls.call {}
        func hold() -> Task<Void, any Error> {
            let ticket = calls.call {}
            return Task { try await calls.end(ticket, clock) }
        }
        let held = hold()
        await clock.sleepers(1)
        let begun = calls.next
        clock.move(by: PlainCalls.hold / 2)
        let later = hold()
        await clock.sleepers(2)
        let close = Task { await calls.noneIsHeld(before: begun) }
        clock.move(by: PlainCalls.hold / 2)
        try await held.value
        await close.value
        // The later one is still held.
        await clock.sleepers(1)
        clock.move(by: PlainCalls.hold)
        try await later.value
        calls.fenced(oldest)
    }

    @Test func `an older ticket is one that was given out before and has not ended`() {
        var tickets = LiveTickets()
        let given = (0..<4).map { _ in tickets.begin() }
        #expect(!tickets.hasOlder(than: given[0]))
        #expect(tickets.hasOlder(than: given[1]))
        tickets.end(given[1])
        tickets.end(given[2])
        #expect(tickets.hasOlder(than: given[3]))
        tickets.end(given[0])
        #expect(!tickets.hasOlder(than: given[3]))
        tickets.end(given[3])
        #expect(!tickets.hasOlder(than: tickets.begin()))
    }

    @Test func `tickets that end while an older one goes on are not kept`() {
        var tickets = LiveTickets()
        let first = tickets.begin()
        for _ in 0..<10_000 {
            let second = tickets.begin()
            let third = tickets.begin()
            tickets.end(third)
            #expect(tickets.hasOlder(than: third))
            tickets.end(second)
            #expect(tickets.line.count < 100)
        }
        tickets.end(first)
        #expect(tickets.line.isEmpty)
        #expect(!tickets.hasOlder(than: tickets.begin()))
    }

    @Test func `a journal that is open elsewhere is an error, and a closed store throws`() async throws {
        try await onThread { [path] in
            func code(_ body: () throws -> Void) -> JournalError.Code? {
                do { try body() } catch { return (error as? JournalError)?.code }
                return nil
            }
            let store = try PlainStore(state: 0, update: updateCounter, journal: path)
            #expect(code { _ = try PlainStore(state: 0, update: updateCounter, journal: path) } == .inUse)
            try store.close()
            #expect(code { try store.dispatch(.increment) } == .closed)
            try store.join()
        }
    }

    @Test func `close in the update function throws, and does not wait for itself`() async throws {
        let codes = Box<[JournalError.Code?]>([])
        let own = Box<PlainStore<CounterAction, Int>?>(nil)
        try await onThread { [path] in
            let store = try PlainStore(
                state: 0,
                update: { (state: inout Int, action: CounterAction) in
                    updateCounter(state: &state, action: action)
                    do throws(JournalError) { try own.value?.close() } catch { codes.change { $0.append(error.code) } }
                }, journal: path)
            own.change { $0 = store }
            try store.dispatch(.increment)
            own.change { $0 = nil }
            // A debug build calls the function twice.
            #expect(Set(codes.value) == [.reentrant])
            #expect(store.state == 1)
            try store.close()
        }
    }

    @Test func `join in the effect function throws, and does not wait for itself`() async throws {
        let codes = Box<[JournalError.Code?]>([])
        let own = Box<PlainStore<CounterAction, Int>?>(nil)
        try await onThread { [path] in
            let store = try PlainStore(
                state: 0, update: updateCounter,
                effect: { _, _, _ in
                    do throws(JournalError) { try own.value?.join() } catch { codes.change { $0.append(error.code) } }
                }, journal: path)
            own.change { $0 = store }
            try store.dispatch(.increment)
            try store.join()
            own.change { $0 = nil }
            #expect(codes.value == [.reentrant])
            try store.close()
        }
    }

    @Test func `join does not throw in a task that an earlier call of the effect function has started`() async throws {
        let own = Box<PlainStore<CounterAction, Int>?>(nil)
        let (returned, joined) = (Signal(), Signal())
        let store = try await onThread { [path] in
            try PlainStore(
                state: 0, update: updateCounter,
                effect: { _, _, _ in
                    Task {
                        await returned.wait()
                        // In this task, which has the values of the call that started it.
                        #expect(throws: Never.self) { try own.value?.join() }
                        joined.send()
                    }
                }, journal: path)
        }
        own.change { $0 = store }
        try await onThread {
            try store.dispatch(.increment)
            try store.join()
        }
        returned.send()
        await joined.wait()
        own.change { $0 = nil }
        try await onThread { try store.close() }
    }

    /// Others are held back after three processes that ended early.
    @Test func `the calls keep their order, however often the process is killed`() async throws {
        let deaths = try Deaths()
        let calls = Box<[StopwatchAction]>([])
        // Never released, so that no call ends.
        let kept = Box<[@Sendable (StopwatchAction) -> Void]>([])
        @Sendable func open(_ journal: Journal) throws -> PlainStore<StopwatchAction, Int> {
            try PlainStore(
                state: 0, update: updateStopwatch,
                effect: { _, action, dispatch in
                    kept.change { $0.append(dispatch) }
                    calls.change { $0.append(action) }
                }, journal: journal, name: "a", clock: deaths.clock)
        }
        for opening in 0...4 {
            let journal = try deaths.open()
            calls.change { $0 = [] }
            let store = try await onThread { try open(journal) }
            #expect(store.store.store.recovery.isCrashLoop == false)
            if opening == 0 || opening == 4 { try await onThread { try store.dispatch(opening == 0 ? .start : .stop) } }
            await calls.until { $0 == (opening == 4 ? [.start, .stop] : [.start]) }
            try await store.store.store.flush()
            try deaths.kill()
            try await onThread { try store.close() }
            try await journal.close()
        }
    }
}
