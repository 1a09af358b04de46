import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The end of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `closing waits for running bodies until the deadline`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal) { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        try await host.dispatch(.start("pay"), to: "a")
        #expect(await close(host, whileOneWaitsAt: door).interrupted.isEmpty)
        try await journal.close()
        #expect(try sql("SELECT name FROM journal") == ["start", "ended"])
    }

    /// A host whose streams are opened when a door is open.
    private func host(_ journal: Journal, opensAfter door: Door) throws -> MachineHost<Play, Score> {
        let registration = try journal.hosts.reserve(play.name, in: path)
        return MachineHost<Play, Score>(
            journal, machine: play.name, registration, hasInitialEffect: false,
            ticker: Ticker(clock, in: JournalOptions()), HostOptions()
        ) { [clock] stream, _ throws(JournalError) in
            await door.pass()
            let stage = Stage(effects: { name in .run(name) { .ended(name) } })
            let program = Program(play, environment: stage, checksCoding: true)
            return try await journal.open(
                program, stream: stream, Ticker(clock, in: JournalOptions()), [], OpenOptions())
        }
    }

    @Test func `closing waits for a dispatch whose stream is being opened, and for its effects`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal, opensAfter: door)
        let sent = Task { try await host.dispatch(.start("pay"), to: "a").step }
        await door.comers(1)
        async let left = host.close(within: .seconds(60))
        await clock.sleepers(1)
        for _ in 1...1_000 { await Task.yield() }
        #expect(clock.nextWake != nil, "it still waits for the deadline")
        door.open()
        #expect(await left.interrupted.isEmpty)
        #expect(try await sent.value == 1)
        try await journal.close()
        #expect(try sql("SELECT name FROM journal") == ["start", "ended"])
    }

    @Test func `closing without a deadline also closes a stream that is being opened`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal, opensAfter: door)
        let sent = Task { try? await host.dispatch(.add(1), to: "a") }
        await door.comers(1)
        let closing = Task { await host.close() }
        while !host.work.withLock({ $0.isClosed }) { await Task.yield() }
        door.open()
        #expect(await closing.value.closed == 1)
        _ = await sent.value
        #expect(host.openStreams == 0)
        let next = try self.host(journal)
        try await next.dispatch(.add(1), to: "a")
        try await journal.close()
    }

    @Test func `closing waits for bodies that other bodies have led to`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal) { name in
            .run(name, restart: .cancel) {
                if name == "last" { return .ended(name) }
                await door.pass()
                return .start("last")
            }
        }
        try await host.dispatch(.start("first"), to: "a")
        #expect(await close(host, whileOneWaitsAt: door).interrupted.isEmpty)
        try await journal.close()
        #expect(try sql("SELECT name FROM journal") == ["start", "start", "ended"])
    }

    @Test func `closing waits for a body that a body of another stream has led to`() async throws {
        let journal = try openJournal(path, clock)
        let (door, last) = (Door(), Door())
        let quiet = Box<Store<Play, Score>?>(nil)
        let host = try host(journal) { name in
            .run(name) {
                if name == "first" {
                    await door.pass()
                    try await quiet.value?.dispatch(.start("last"))
                    return nil
                }
                await last.pass()
                return .ended(name)
            }
        }
        // It is looked at before the other one, and runs nothing then.
        let store = try await host.store(for: "a")
        quiet.change { $0 = store }
        try await host.dispatch(.start("first"), to: "b")
        await door.comers(1)
        async let left = host.close(within: .seconds(60))
        await clock.sleepers(1)
        door.open()
        await last.comers(1)
        for _ in 1...1_000 { await Task.yield() }
        #expect(clock.nextWake != nil, "it still waits for the deadline")
        last.open()
        #expect(await left.interrupted.isEmpty)
        quiet.change { $0 = nil }
        try await journal.close()
        #expect(try sql("SELECT name FROM journal WHERE stream = 'a'") == ["start", "ended"])
    }

    /// The end of a process closes one host after the other, and refuses calls of bodies that still run.
    @Test(arguments: ["host", "journal"])
    func `a body that calls what is closed before its own store goes on at the next opening`(_ end: String) async throws
    {
        let journal = try openJournal(path, clock)
        let door = Door()
        let called = Box<[JournalError.Code]>([])
        let held = Box<MachineHost<Play, Score>?>(nil)
        let host = try host(journal) { name in
            .run(name) {
                await door.pass()
                do throws(JournalError) { try await held.value?.dispatch(.add(1), to: "other") } catch {
                    called.change { $0.append(error.code) }
                    throw error
                }
                return .ended(name)
            }
        }
        held.change { $0 = host }
        try await host.dispatch(.start("pay"), to: "a")
        await door.comers(1)
        let closing = Task {
            if end == "host" { await host.close(within: .seconds(60)) } else { try await journal.close() }
        }
        while !journal.hosts.areClosing { await Task.yield() }
        door.open()
        _ = try? await closing.value
        held.change { $0 = nil }
        try? await journal.close()
        #expect(called.value.allSatisfy { $0 == .closed })
        if end == "host" { #expect(called.value.count == 1) }
        #expect(try sql("SELECT status FROM effect_run") == ["running"])
    }

    /// Its own store is closed after the host.
    @Test func `the end of the journal cuts off a body before it closes the stream that the body waits for`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let door = Door()
        let called = Machine<Play, Score, Stage>("called", initialState: Score()) { _, _, _ in
            .run("work") {
                await door.pass()
                return nil
            }
        }
        let host = try host(journal, called)
        let stage = Stage(effects: { name in
            .run(name) {
                let sent = try await host.dispatch(.add(1), to: "other")
                await sent.completion()
                return .ended(name)
            }
        })
        let store = try await journal.open(play, stream: "a", environment: stage, clock: clock)
        try await store.dispatch(.start("pay"))
        await door.comers(1)
        try await journal.close()
        door.open()
        #expect(try sql("SELECT status FROM effect_run") == ["running", "running"])
    }

    @Test func `the end of the journal leaves the streams alone that a host's bodies wait for, until their deadline`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let door = Door()
        let stage = Stage(effects: { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        })
        let store = try await journal.open(play, stream: "a", environment: stage, clock: clock)
        let caller = Machine<Play, Score, Stage>("caller", initialState: Score()) { action, _, _ in
            guard case .start(let name) = action else { return .none }
            return .run(name) {
                let sent = try await store.dispatch(.start(name))
                await sent.completion()
                return .ended(name)
            }
        }
        let host = try host(journal, caller)
        try await host.dispatch(.start("pay"), to: "b")
        await door.comers(1)
        async let report = host.close(within: .seconds(60))
        while !journal.hosts.areClosing { await Task.yield() }
        async let end: Void = journal.close()
        while !journal.hosts.isClosed { await Task.yield() }
        door.open()
        #expect(await report.interrupted == [])
        try await end
        #expect(try sql("SELECT status FROM effect_run") == ["completed", "completed"])
    }

    /// A host whose effects call another one when a door is open.
    private func host(
        _ journal: Journal, calling other: MachineHost<Play, Score>, behind door: Door
    ) throws -> MachineHost<Play, Score> {
        try host(journal) { name in
            .run(name) {
                await door.pass()
                try await other.dispatch(.add(1), to: "other")
                return .ended(name)
            }
        }
    }

    /// The body was refused: its effect fails a second later, or goes on at the next opening if its host is closed.
    private func expectEnd(of host: MachineHost<Play, Score>, in journal: Journal, staysOpen: Bool) async throws {
        if staysOpen {
            await clock.sleepers(1)
            clock.move(by: .seconds(1))
            try await host.store(for: "a").join()
        }
        await host.close()
        try await journal.close()
        #expect(try sql("SELECT status FROM effect_run WHERE name = 'pay'") == [staysOpen ? "failed" : "running"])
    }

    /// It has got the store before the host was closed.
    @Test func `a call that finds its store closed by the end of the host is refused by the host`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        let store = try await host.store(for: "a")
        let open = JournalError(.closed, "The store was closed.", stream: "a")
        #expect(host.ofHost(open, "a") == open)
        await host.close()
        let error = try #require(await journalError { try await store.dispatch(.add(1)) })
        #expect(!error.isOfClosedHost)
        #expect(host.ofHost(error, "a").isOfClosedHost)
        #expect(host.ofHost(changed(error) { $0.code = .busy }, "a").code == .busy)
        try await journal.close()
    }

    @Test func `a body that calls a closed store fails at once, also if another host was closed before`() async throws {
        let journal = try openJournal(path, clock)
        let called = Machine<Play, Score, Stage>("called", initialState: Score()) { _, _, _ in .none }
        await (try host(journal, called)).close()
        let closed = try await journal.open(called, stream: "other", environment: Stage())
        try await closed.close()
        let host = try host(journal) { name in
            .run(name, retry: .constant(maxAttempts: 2, delay: .seconds(1))) { context in
                if context.attempt == 1 { try await closed.dispatch(.add(1)) }
                return .ended(name)
            }
        }
        let sent = try await host.dispatch(.start("pay"), to: "a")
        let end = Task { await sent.completion() }
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        await end.value
        #expect(try await host.state(of: "a").log == ["pay"])
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `a body that calls a host which was just closed fails only if its own host stays open`(staysOpen: Bool)
        async throws
    {
        let journal = try openJournal(path, clock)
        let calling = Door()
        let called = Machine<Play, Score, Stage>("called", initialState: Score()) { _, _, _ in .none }
        let other = try host(journal, called)
        let host = try host(journal, calling: other, behind: calling)
        try await host.dispatch(.start("pay"), to: "a")
        await calling.comers(1)
        await other.close()
        #expect(!journal.hosts.areClosing)
        calling.open()
        try await host.store(for: "a").join(bodiesOnly: true)
        try await expectEnd(of: host, in: journal, staysOpen: staysOpen)
    }

    @Test(arguments: [false, true])
    func `a body that calls a host which is being closed fails only if its own host stays open`(staysOpen: Bool)
        async throws
    {
        let journal = try openJournal(path, clock)
        let (busy, calling) = (Door(), Door())
        let called = Machine<Play, Score, Stage>("called", initialState: Score()) { action, _, stage in
            if case .start(let name) = action { stage.effects(name) } else { .none }
        }
        let other = try host(journal, called) { name in
            .run(name) {
                await busy.pass()
                return nil
            }
        }
        let host = try host(journal, calling: other, behind: calling)
        try await other.dispatch(.start("busy"), to: "b")
        try await host.dispatch(.start("pay"), to: "a")
        await busy.comers(1)
        await calling.comers(1)
        let closing = Task { await other.close(within: .seconds(60)) }
        while !journal.hosts.areClosing { await Task.yield() }
        calling.open()
        try await host.store(for: "a").join(bodiesOnly: true)
        busy.open()
        _ = await closing.value
        try await expectEnd(of: host, in: journal, staysOpen: staysOpen)
    }

    @Test func `at the deadline bodies are fenced, and the report names them`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal) { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        try await host.dispatch(.start("pay"), to: "a")
        await door.comers(1)
        async let left = host.close(within: .seconds(60))
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        #expect(await left.interrupted.map { "\($0.stream) \($0.run.name)" } == ["a pay"])
        door.open()
        try await journal.close()
        #expect(try sql("SELECT status FROM effect_run") == ["running"])
    }

    /// As at the end of a process.
    @Test func `a task that is cancelled waits for running bodies too when it closes a host`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal) { name in
            .run(name, restart: .cancel) {
                await door.pass()
                return .ended(name)
            }
        }
        try await host.dispatch(.start("pay"), to: "a")
        await door.comers(1)
        let isClosed = Box(false)
        let closing = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            let report = await host.close(within: .seconds(60))
            isClosed.change { $0 = true }
            return report
        }
        // Until it waits for the deadline, or does not wait.
        while clock.nextWake == nil, !isClosed.value { await Task.yield() }
        door.open()
        #expect(await closing.value.interrupted.isEmpty)
        try await journal.close()
        #expect(try sql("SELECT name FROM journal") == ["start", "ended"])
    }

    /// The tasks that close it are cancelled, as at the end of a process. No thread is blocked here: there are only
    /// two.
    @Test func `each caller that closes a host waits for its end`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        for number in 1...20 { try await host.dispatch(.add(number), to: "order-\(number)") }
        let closings = (0..<3).map { _ in
            Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return await host.close()
            }
        }
        for closing in closings { #expect(await closing.value.closed == 20) }
        try await journal.close()
    }

    @Test func `a closed host refuses also a dispatch of no actions`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        await host.close()
        #expect(await journalError { try await host.dispatch(contentsOf: [], to: "a") }?.code == .closed)
        try await journal.close()
    }

    @Test func `the report names the streams whose last records could not be written, and so does the journal's end`()
        async throws
    {
        for end in ["host", "journal"] {
            let journal = try openJournal(folder.path("\(end).db"), clock)
            let host = try host(journal) { name in
                .run(name) {
                    try await forever()
                    return nil
                }
            }
            try await host.dispatch(.add(1), to: "b")
            try await journal.refuse("INSERT ON effect_run")
            try await host.dispatch(.start("pay"), to: "a")
            if end == "host" {
                let left = await host.close()
                #expect(left.closed == 2)
                #expect(left.failures.map(\.code) == [.notStorable])
                #expect(left.failures.map(\.stream) == ["a"])
                try await journal.close()
            } else {
                #expect(await journalError { try await journal.close() }?.code == .notStorable)
            }
        }
    }
}
