import CFaultVFS
import CSQLite
import Dispatch
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// A host closes a stream and opens it again: nobody notices.
@Suite struct `A stream that a host closes and opens again`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a repeated timer that leaves out missed ticks is late by a moment, and ticks all the same`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .every(.seconds(10), .ended($0), missed: .none) }
        try await host.dispatch(.start("tick"), to: "a")
        for tick in 1...3 {
            await wait(host, open: 0)
            await clock.sleepers(1)
            clock.move(by: .milliseconds(10_100))
            try await arrives("ended", journal, times: tick)
        }
        try await journal.close()
    }

    @Test func `a stream that cannot be opened once is opened when its timer is due`() async throws {
        let journal = try openJournal(path, clock)
        let fails = Box(false)
        let host = try host(
            journal, open: 0,
            changed(play) { $0.codec = ObservedCodec { _ in if fails.value { throw CancellationError() } } }
        ) {
            .after(.seconds(60), .ended($0))
        }
        try await host.dispatch(.start("timer"), to: "a")
        await wait(host, open: 0)
        fails.change { $0 = true }
        #expect(await journalError { try await host.state(of: "a") }?.code == .notDecodable)
        fails.change { $0 = false }
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await arrives("ended", journal)
        try await journal.close()
    }

    @Test func `a stream that the host cannot open because too many files are open is tried again`() async throws {
        let journal = try openJournal(path, clock)
        let tried = Signal()
        let host = MachineHost<Play, Score>(
            journal, machine: play.name, try journal.hosts.reserve(play.name, in: path), hasInitialEffect: false,
            ticker: Ticker(clock), HostOptions()
        ) { stream, _ throws(JournalError) in
            tried.send()
            throw JournalError(.tooManyFiles, "Too many files are open.", stream: stream)
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

    @Test func `a stream with an orphan is closed when it is idle`() async throws {
        var journal = try openJournal(path, clock)
        let old = try host(journal) { name in .run(name, delay: .seconds(60)) { .ended(name) } }
        try await old.dispatch(.start("timer"), to: "a")
        try await journal.close()
        let reported = Signal()
        journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in if notice.kind == .orphanedEffects { reported.send() } }
        }
        let new = try host(journal, open: 0)
        #expect(await new.recovery().waiting == 1)
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        await reported.wait()
        await wait(new, open: 0)
        try await journal.close()
        #expect(try sql("SELECT status FROM effect_run") == ["orphaned"])
    }

    @Test func `a stream whose machine has middleware is closed when it is idle, after the middleware was called`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let called = Box(0)
        let machine = changed(play) { $0.middleware = [JournalStore.Middleware { _ in called.change { $0 += 1 } }] }
        let host = try host(journal, open: 0, machine)
        for name in ["a", "b", "c"] { try await host.dispatch(.add(1), to: name) }
        await wait(host, open: 0)
        #expect(called.value == 3)
        try await journal.close()
    }

    @Test func `a stream is closed when it is idle also if a step could not be read for its middleware`() async throws {
        let (fails, failed) = (Box(true), Signal())
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.checksCoding = false
            options.report = { notice in if notice.kind == .middlewareFailed { failed.send() } }
        }
        let called = Box<[Int]>([])
        let machine = changed(play) {
            $0.codec = ObservedCodec { _ in if fails.value { throw CancellationError() } }
            $0.middleware = [JournalStore.Middleware { step in called.change { $0.append(step.step) } }]
        }
        let host = try host(journal, open: 0, machine)
        try await host.dispatch(.add(1), to: "a")
        await failed.wait()
        fails.change { $0 = false }
        await wait(host, open: 0)
        // The next opening calls it again, for new steps.
        try await host.dispatch(.add(1), to: "a")
        await wait(host, open: 0)
        #expect(called.value == [2])
        try await journal.close()
    }

    @Test func `a stream stays open while its middleware is busy, and can use it`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let user = Box<MachineHost<Play, Score>?>(nil)
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { step in
                    guard step.action == .start("x") else { return }
                    await door.pass()
                    try await user.value?.dispatch(.add(1), to: "a")
                }
            ]
        }
        let host = try host(journal, open: 0, machine)
        user.change { $0 = host }
        try await host.dispatch(.start("x"), to: "a")
        await door.comers(1)
        // The host has tried to close it.
        let before = host.progress.read { $0 }
        _ = await host.progress.wait { $0 > before ? true : nil }
        door.open()
        _ = try await host.dispatch(.draw, to: "a") { $0.sum == 1 }
        await wait(host, open: 0)
        user.change { $0 = nil }
        try await journal.close()
    }

    @Test func `an opening that fails does not wait for middleware that uses its stream`() async throws {
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let stream = try await journal.openStream("a", machine: play.name)
        try await stream.append(#"{"add":{"_0":1}}"#)
        try await stream.close()
        // As if it were a message that has arrived: the middleware gets it.
        journal.keepArrivals(in: stream.id, from: 1)
        let (door, called) = (Door(), Signal())
        let user = Box<MachineHost<Play, Score>?>(nil)
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    await door.pass()
                    defer { called.send() }
                    try await user.value?.dispatch(.add(1), to: "a")
                }
            ]
        }
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        let host = try host(journal, machine)
        user.change { $0 = host }
        await door.comers(1)
        door.open()
        #expect(await host.recovery().failures.map(\.code) == [.diskFull])
        await called.wait()
        user.change { $0 = nil }
        vfs.clear()
        #expect(try await host.state(of: "a").sum == 1)
        try await journal.close()
    }

    /// With a limit of one, the dispatch that waits takes up all the room.
    @Test(arguments: [4_096, 1])
    func `a dispatch waits for a close of its stream by the app, and the middleware that holds it up does not`(
        _ maxDispatches: Int
    ) async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let (user, refusal) = (Box<MachineHost<Play, Score>?>(nil), Box<JournalError?>(nil))
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    await door.pass()
                    guard let host = user.value else { return }
                    user.change { $0 = nil }
                    let error = await journalError { try await host.dispatch(.add(4), to: "a") }
                    refusal.change { $0 = error }
                }
            ]
        }
        let host = try journal.host(
            machine, environment: Stage(), clock: clock, observers: { _ in [] },
            options: changed(HostOptions()) { $0.maxDispatches = maxDispatches })
        user.change { $0 = host }
        try await host.dispatch(.add(1), to: "a")
        await door.comers(1)
        let store = try await host.store(for: "a")
        async let closing: Void = store.close()
        while !store.engine.isClosed { await Task.yield() }
        async let dispatched = host.dispatch(.add(2), to: "a")
        while host.work.withLock({ $0.dispatches.underWay == 0 }) { await Task.yield() }
        for _ in 1...1_000 { await Task.yield() }
        door.open()
        try await closing
        #expect(try await dispatched.step == 2)
        #expect(refusal.value?.code == .closed)
        #expect(refusal.value?.stream == "a")
        #expect(try await host.state(of: "a").sum == 3)
        try await journal.close()
    }

    @Test func `what middleware dispatches to another stream does not wait for a dispatch that waits for it`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let door = Door()
        let user = Box<MachineHost<Play, Score>?>(nil)
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    await door.pass()
                    guard let host = user.value else { return }
                    user.change { $0 = nil }
                    try await host.dispatch(.add(4), to: "b")
                }
            ]
        }
        let host = try journal.host(
            machine, environment: Stage(), clock: clock, observers: { _ in [] },
            options: changed(HostOptions()) { $0.maxDispatches = 1 })
        user.change { $0 = host }
        try await host.dispatch(.add(1), to: "a")
        await door.comers(1)
        let store = try await host.store(for: "a")
        async let closing: Void = store.close()
        while !store.engine.isClosed { await Task.yield() }
        // It takes up all the room until the middleware has returned.
        async let dispatched = host.dispatch(.add(2), to: "a")
        while host.work.withLock({ $0.dispatches.underWay == 0 }) { await Task.yield() }
        door.open()
        try await closing
        #expect(try await dispatched.step == 2)
        #expect(try await host.state(of: "b").sum == 4)
        let underWay = host.work.withLock { $0.dispatches.underWay }
        #expect(underWay == 0)
        try await journal.close()
    }

    @Test func `observers see a message that arrived while the stream was closed, once`() async throws {
        let journal = try openJournal(path, clock)
        let observed = Box<[String]>([])
        let receivers = try host(
            journal, open: 0, observers: [Observer { step in observed.change { $0.append("to \(step.step)") } }])
        let sender = Machine<Play, Score, Void>("sender", initialState: Score()) { _, _, _ in .none }
            .connected(to: play) { step in
                if case .add(let number) = step.action { ("to", .add(number)) } else { nil }
            }
        let senders = try journal.host(sender, clock: clock)
        try await receivers.dispatch(.add(1), to: "to")
        for number in 2...3 {
            await wait(receivers, open: 0)
            try await senders.dispatch(.add(number), to: "from")
            _ = try await receivers.dispatch(.draw, to: "to") { $0.sum == number * (number + 1) / 2 }
        }
        await wait(receivers, open: 0)
        #expect(try await receivers.state(of: "to").sum == 6)
        #expect(observed.value == (1...5).map { "to \($0)" })
        try await journal.close()
    }

    @Test func `an opening that takes long holds up no timer of another stream`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .after(.seconds($0 == "soon" ? 60 : 61), .ended($0)) }
        try await host.dispatch(.start("soon"), to: "a")
        try await host.dispatch(.start("later"), to: "b")
        await wait(host, open: 0)
        // Its opening waits until a store that was released has ended.
        journal.beginRelease(of: "a")
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        try await arrives("ended", journal)
        #expect(try sql("SELECT stream FROM journal WHERE name = 'ended'") == ["b"])
        journal.finishedRelease(of: "a")
        try await arrives("ended", journal, times: 2)
        try await journal.close()
    }

    @Test func `a sleeper that was replaced, and wakes all the same, does not replace its successor`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .after(.seconds(60), .ended($0)) }
        try await host.dispatch(.start("timer"), to: "a")
        await wait(host, open: 0)
        await clock.sleepers(1)
        let sleeper = host.work.withLock { $0.sleeper?.task }
        #expect(sleeper != nil)
        host.openDue(clock.wallClock())
        let newer = host.work.withLock { $0.sleeper?.task }
        #expect(newer == sleeper)
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

    @Test func `the journal opens no stream of a machine that has a host`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .after(.seconds(60), .ended($0)) }
        try await host.dispatch(.start("timer"), to: "a")
        await wait(host, open: 0)
        let error = await journalError { try await journal.open(play, stream: "a", environment: Stage()) }
        #expect(error?.code == .streamOpen)
        #expect(error?.message.contains("has a host") == true)
        await host.close()
        let store = try await journal.openPlay()
        #expect(store.state.log == [])
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

    @Test func `a stream stays open while a record of it cannot be written, so that no effect runs twice`()
        async throws
    {
        let vfs = FaultVFS()
        let journal = try openJournal(path, clock, vfs: vfs.name)
        let (door, starts, ended) = (Door(), Box(0), Signal())
        let host = try host(journal, open: 0) { name in
            .run(name) {
                starts.change { $0 += 1 }
                await door.pass()
                ended.send()
                return nil
            }
        }
        try await host.dispatch(.start("x"), to: "a")
        await door.comers(1)
        vfs.fail(FAULT_WRITE, suffix: "-wal", count: -1, code: SQLITE_FULL)
        door.open()
        await ended.wait()
        // The host tries to close the stream several times.
        let before = host.progress.read { $0 }
        _ = await host.progress.wait { $0 > before + 2 ? true : nil }
        #expect(host.openStreams == 1)
        vfs.clear()
        await wait(host, open: 0)
        #expect(try sql("SELECT status FROM effect_run") == ["completed"])
        try await host.dispatch(.add(1), to: "a")
        #expect(starts.value == 1)
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

    @Test func `a stream whose outputs are read stays open, also if the result of the dispatch is released`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { name in
            .run(name, delay: .seconds(60)) { context in
                context.emit(7)
                return nil
            }
        }
        let outputs = try await host.dispatch(.start("x"), to: "a").outputs(of: Int.self)
        // The host tries to close the stream.
        let before = host.progress.read { $0 }
        _ = await host.progress.wait { $0 > before + 1 ? true : nil }
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        #expect(await outputs.all() == [7])
        try await journal.close()
    }

    @Test func `a timer goes off although a caller has closed the store of its stream`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal) { .after(.seconds(60), .ended($0)) }
        try await host.dispatch(.start("timer"), to: "a")
        try await host.store(for: "a").close()
        for _ in 1...2 {
            await clock.sleepers(1)
            clock.move(by: .seconds(30))
        }
        try await arrives("ended", journal)
        try await journal.close()
    }
}
