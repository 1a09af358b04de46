import Dispatch
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// A host closes a stream and opens it again: nobody notices.
@Suite struct `A stream that a host closes and opens again`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    static let passing = [
        JournalError(.tooManyFiles, "Too many files are open."),
        // SQLITE_NOMEM.
        JournalError(.inputOutput, "There is too little memory.", underlying: 7),
    ]

    @Test(arguments: passing)
    func `a stream that the host cannot open for a reason that can pass is tried again`(_ error: JournalError)
        async throws
    {
        let journal = try openJournal(path, clock)
        let tried = Signal()
        let host = MachineHost<Play, Score>(
            journal, machine: play.name, try journal.hosts.reserve(play.name, in: path), hasInitialEffect: false,
            ticker: Ticker(clock, in: JournalOptions()), HostOptions()
        ) { stream, _ throws(JournalError) in
            tried.send()
            throw changed(error) { $0.stream = stream }
        }
        host.messageArrived(in: "a")
        for _ in 1...2 {
            await tried.wait()
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
        }
        await tried.wait()
        await host.close()
        try await journal.close()
    }

    /// A host that cannot open its streams while `fails` is true, for a reason that can pass.
    private func host(
        _ journal: Journal, failing fails: Box<Bool>, tried: Signal
    ) throws -> MachineHost<Play, Score> {
        let registration = try journal.hosts.reserve(play.name, in: path)
        return MachineHost<Play, Score>(
            journal, machine: play.name, registration, hasInitialEffect: false,
            ticker: Ticker(clock, in: JournalOptions()), HostOptions()
        ) { [clock] stream, _ throws(JournalError) in
            tried.send()
            if fails.value { throw JournalError(.tooManyFiles, "Too many files are open.", stream: stream) }
            let program = Program(play, environment: Stage(), checksCoding: true)
            return try await journal.open(
                program, stream: stream, Ticker(clock, in: JournalOptions()), [], OpenOptions())
        }
    }

    @Test func `a stream that cannot be opened for long is tried again every ten seconds`() async throws {
        let journal = try openJournal(path, clock)
        let tried = Signal()
        let host = try host(journal, failing: Box(true), tried: tried)
        host.messageArrived(in: "a")
        for _ in 1...10 {
            await tried.wait()
            await clock.sleepers(1)
            clock.move(by: .seconds(10))
        }
        await tried.wait()
        await host.close()
        try await journal.close()
    }

    @Test func `each time in which a stream cannot be opened is reported once`() async throws {
        let (fails, tried, reports) = (Box(true), Signal(), Box(0))
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in if notice.kind == .openingFailed { reports.change { $0 += 1 } } }
        }
        let host = try host(journal, failing: fails, tried: tried)
        for time in 1...2 {
            fails.change { $0 = true }
            host.messageArrived(in: "a")
            await tried.wait()
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
            await tried.wait()
            // It reports before it waits.
            await clock.sleepers(1)
            #expect(reports.value == time)
            fails.change { $0 = false }
            clock.move(by: .seconds(1))
            await tried.wait()
            await wait(host, open: 1)
            try await host.store(for: "a").close()
        }
        await host.close()
        try await journal.close()
    }

    /// A call of middleware does not wait for the end of the store before.
    @Test func `a caller that waits while another one cannot open the stream asks again`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let isFirst = Box(true)
        let host = MachineHost<Play, Score>(
            journal, machine: play.name, try journal.hosts.reserve(play.name, in: path), hasInitialEffect: false,
            ticker: Ticker(clock, in: JournalOptions()), HostOptions()
        ) { [clock] stream, _ throws(JournalError) in
            let fails = isFirst.change { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            guard fails else {
                let program = Program(play, environment: Stage(), checksCoding: true)
                return try await journal.open(
                    program, stream: stream, Ticker(clock, in: JournalOptions()), [], OpenOptions())
            }
            await door.pass()
            throw JournalError(.streamOpen, "The stream is open.", stream: stream)
        }
        async let first = journalError { try await host.dispatch(.add(1), to: "a") }
        await door.comers(1)
        async let second = host.dispatch(.add(1), to: "a")
        while host.work.withLock({ $0.dispatches.underWay < 2 }) { await Task.yield() }
        for _ in 1...1_000 { await Task.yield() }
        door.open()
        #expect(await first?.code == .streamOpen)
        #expect(try await second.step == 1)
        await host.close()
        try await journal.close()
    }

    @Test func `a stream of a host cannot be opened as a log`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        try await host.dispatch(.add(1), to: "a")
        for name in ["a", "new"] {
            let error = await journalError { try await journal.openStream(name, machine: play.name) }
            #expect(error?.code == .streamOpen && error?.stream == name)
        }
        await host.close()
        try await journal.openStream("a", machine: play.name).close()
        try await journal.close()
    }

    @Test func `delayed effects that look alike run, each once`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { name in
            .run("mail", delay: .seconds(60)) { .ended("\(name) 1") }
                + .run("mail", delay: .seconds(60)) { .ended("\(name) 2") }
        }
        try await host.dispatch(.start("mail"), to: "a")
        await wait(host, open: 0)
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await arrives("ended", journal, times: 2)
        _ = try await host.dispatch(.add(0), to: "a") { Set($0.log) == ["mail 1", "mail 2"] }
        try await journal.close()
    }

    @Test func `a dispatch can be cancelled although its stream was closed`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { name in
            if name == "later" { return .after(.seconds(60), .ended(name)) }
            return .run(name) { .start("later") }
        }
        let plain = try await host.dispatch(.add(1), to: "a")
        await wait(host, open: 0)
        try await plain.cancel()
        _ = try await host.dispatch(.start("first"), to: "a", id: "one")
        await wait(host, open: 0)
        // Its own effect has ended, and has led to one that is delayed.
        let repeated = try await host.dispatch(.start("first"), to: "a", id: "one")
        await wait(host, open: 0)
        try await repeated.cancel()
        #expect(try sql("SELECT status FROM effect_run ORDER BY step") == ["completed", "cancelled"])
        try await journal.close()
    }

    @Test func `a store that ends with an error is replaced, and its timers go on`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal) { .after(.seconds(60), .ended($0)) }
        try await host.dispatch(.start("timer"), to: "a")
        do {
            let store = try await host.store(for: "a")
            // The answer is given while the engine drains its inbox.
            let engine = store.engine
            engine.post(
                .list(ephemeral: false) { _ in engine.fail(JournalError(.busy, "A read failed."), alone: true) })
        }
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        for _ in 1...2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(30))
        }
        try await arrives("ended", journal)
        try await journal.close()
    }

    @Test func `a stream that the app had opened before is opened by the host when its store is released`() async throws
    {
        let journal = try openJournal(path, clock)
        let started = Signal()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name) {
                started.send()
                try await forever()
                return nil
            }
        }
        var store: Store<Play, Score>? = try await journal.openPlay(clock: clock, effects: effects)
        try await store?.dispatch(.start("pay"))
        await started.wait()
        let host = try host(journal, effects: effects)
        #expect(await host.recovery().failures.map(\.code) == [.streamOpen])
        #expect(await journalError { try await host.dispatch(.add(1), to: "a") }?.code == .streamOpen)
        store = nil
        while host.work.withLock({ $0.pauses.streams.next == nil }) { await Task.yield() }
        clock.move(by: .seconds(1))
        await started.wait()
        #expect(try await host.dispatch(.add(1), to: "a").step == 2)
        try await journal.close()
    }

    @Test func `a stream is opened again after a second, also if the clock of the machine is set back meanwhile`()
        async throws
    {
        let (started, set) = (Signal(), Box(Duration.zero))
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = { clock.wallClock().advanced(by: set.value) }
        }
        let host = try host(journal) { name in
            .run(name) {
                started.send()
                try await forever()
                return nil
            }
        }
        try await host.dispatch(.start("pay"), to: "a")
        await started.wait()
        try await host.store(for: "a").close()
        while host.work.withLock({ $0.pauses.sleeper == nil }) { await Task.yield() }
        set.change { $0 = .seconds(-3_600) }
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        await started.wait()
        try await journal.close()
    }

    @Test func `a store that is released with nothing left to do is not opened by the host`() async throws {
        let journal = try openJournal(path, clock)
        var store: Store<Play, Score>? = try await journal.openPlay(clock: clock)
        try await store?.dispatch(.add(1))
        try await store?.flush()
        let host = try host(journal)
        #expect(await host.recovery() == HostRecovery())
        store = nil
        await journal.waitForRelease(of: "a")
        #expect(host.work.withLock { $0.timers.streams.next == nil && $0.pauses.streams.next == nil })
        try await journal.close()
    }

    @Test func `a store that ends with an error is replaced, although a caller has it`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        try await host.dispatch(.add(1), to: "a")
        let held = try await host.store(for: "a")
        let engine = held.engine
        engine.post(.list(ephemeral: false) { _ in engine.fail(JournalError(.busy, "A read failed."), alone: true) })
        #expect(await journalError { try await held.dispatch(.add(1)) } != nil)
        #expect(try await host.dispatch(.add(1), to: "a").step == 2)
        withExtendedLifetime(held) {}
        try await journal.close()
    }

    @Test func `a store that ends with an error is replaced also while its end is being reported`() async throws {
        let (reported, mayGoOn) = (Signal(), DispatchSemaphore(value: 0))
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in
                guard notice.kind == .storeStopped else { return }
                reported.send()
                mayGoOn.wait()
            }
        }
        let host = try host(journal)
        try await host.dispatch(.add(1), to: "a")
        let held = try await host.store(for: "a")
        try await held.flush()
        let engine = held.engine
        // The report blocks this thread.
        async let failed: Void = onThread {
            engine.post(
                .list(ephemeral: false) { _ in engine.fail(JournalError(.busy, "A read failed."), alone: true) })
        }
        await reported.wait()
        let error = await journalError { try await host.dispatch(.add(1), to: "a") }
        mayGoOn.signal()
        try await failed
        #expect(error == nil)
        #expect(try await host.state(of: "a").sum == 2)
        withExtendedLifetime(held) {}
        try await journal.close()
    }

    /// Callers with a higher priority may wait for the same opening.
    @Test func `a call of low priority opens its stream at the usual priority`() async throws {
        let priorities = Box<[TaskPriority]>([])
        let machine = Machine<Int, Int, Void>("count", initialState: 0) { count, action in
            priorities.change { $0.append(Task.currentPriority) }
            count += action
        }
        for isReopened in [false, true] {
            let journal = try openJournal(path) { $0.snapshots = SnapshotPolicy(everySteps: nil, onClose: false) }
            let host = try journal.host(machine)
            priorities.change { $0 = [] }
            let done = Signal()
            // Nobody awaits the task: that would raise its priority.
            Task(priority: .background) {
                await #expect(throws: Never.self) {
                    if isReopened { _ = try await host.state(of: "a") } else { try await host.dispatch(1, to: "a") }
                }
                done.send()
            }
            await done.wait()
            try await journal.close()
        }
        #expect(!priorities.value.isEmpty)
        #expect(priorities.value.allSatisfy { $0 >= .medium })
    }
}
