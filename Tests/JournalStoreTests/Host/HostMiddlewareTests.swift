import CFaultVFS
import CJournalSQLite
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The middleware of hosted streams`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// A machine whose middleware waits at a door, and then once does something with its host.
    private func machine(
        _ door: Door, _ user: Box<MachineHost<Play, Score>?>,
        _ act: @escaping @Sendable (MachineHost<Play, Score>) async throws -> Void
    ) -> Machine<Play, Score, Stage> {
        changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    await door.pass()
                    guard let host = user.value else { return }
                    user.change { $0 = nil }
                    try await act(host)
                }
            ]
        }
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

    /// Each waits for the end of the other's stream.
    @Test func `two streams whose middleware closes the journal at the same time do not wait for each other`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let door = Door()
        let closed = Box(0)
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { [weak journal] _ in
                    await door.pass()
                    try await journal?.close()
                    closed.change { $0 += 1 }
                }
            ]
        }
        let host = try host(journal, machine)
        for name in ["a", "b"] { try await host.dispatch(.add(1), to: name) }
        await door.comers(2)
        door.open()
        try await journal.close()
        let again = try openJournal(path, clock)
        #expect(try again.reader.snapshotSteps(in: "a") == [1] && again.reader.snapshotSteps(in: "b") == [1])
        try await again.close()
    }

    @Test func `middleware that closes the journal while the app does leaves the rest to the app`() async throws {
        let journal = try openJournal(path, clock)
        let (door, isClosing) = (Door(), Signal())
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { [weak journal] step in
                    guard step.action == .start("x") else { return }
                    await door.pass()
                    try await journal?.close()
                    isClosing.send()
                }
            ]
        }
        var stores: [Store<Play, Score>] = []
        for number in 0..<8 {
            stores.append(
                try await journal.open(
                    machine, stream: "\(number)", environment: Stage(effects: { _ in .none }), clock: clock))
            try await stores[number].dispatch(.add(1))
        }
        try await stores[0].dispatch(.start("x"))
        await door.comers(1)
        let closing = Task { try await journal.close() }
        // The app has begun to close: it takes no more dispatches.
        while await journalError({ try await stores[1].dispatch(.add(1)) }) == nil { await Task.yield() }
        door.open()
        await isClosing.wait()
        try await closing.value
        let again = try openJournal(path, clock)
        for number in 1..<8 { #expect(try again.reader.snapshotSteps(in: "\(number)").count == 1) }
        try await again.close()
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
        let machine = self.machine(door, user) { host in
            let error = await journalError { try await host.dispatch(.add(4), to: "a") }
            refusal.change { $0 = error }
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
        let machine = self.machine(door, user) { host in
            try await host.dispatch(.add(4), to: "b")
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

    @Test func `middleware of two hosts that wait for each other's streams does not hold up the end of the journal`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let hosts = Box<[MachineHost<Play, Score>]>([])
        let refusals = Box<[JournalError.Code?]>([])
        func host(_ name: String, callsHost other: Int) throws -> MachineHost<Play, Score> {
            let machine = changed(Machine<Play, Score, Stage>(name, initialState: Score()) { _, _, _ in .none }) {
                $0.middleware = [
                    JournalStore.Middleware { transition in
                        guard case .start = transition.action, let host = hosts.value.dropFirst(other).first else {
                            return
                        }
                        do { try await host.dispatch(.add(1), to: "\(host.machine)-called") { _ in false } } catch {
                            refusals.change { $0.append((error as? JournalError)?.code) }
                        }
                    }
                ]
            }
            return try self.host(journal, machine)
        }
        let (first, second) = (try host("first", callsHost: 1), try host("second", callsHost: 0))
        hosts.change { $0 = [first, second] }
        try await first.dispatch(.start("x"), to: "first-calling")
        try await second.dispatch(.start("x"), to: "second-calling")
        try await arrives("add", journal, times: 2)
        try await journal.close()
        #expect(refusals.value == [.closed, .closed])
        hosts.change { $0 = [] }
    }

    @Test func `middleware waits for the ends of another journal's stores, which do not wait for it`() async throws {
        let called = Signal()
        let failure = Box<JournalError?>(nil)
        let machine = changed(play) { [folder, clock] in
            $0.middleware = [
                JournalStore.Middleware { _ in
                    let error = await journalError {
                        let other = try openJournal(folder.path("b.db"), clock)
                        // Released, and not closed.
                        for _ in 1...10 { _ = try await other.openPlay().dispatch(.add(1)) }
                        try await other.close()
                        try await openJournal(folder.path("b.db"), clock).close()
                    }
                    failure.change { $0 = error }
                    called.send()
                }
            ]
        }
        let journal = try openJournal(path, clock)
        let store = try await journal.open(machine, stream: "a", environment: Stage())
        try await store.dispatch(.add(1))
        await called.wait()
        #expect(failure.value == nil)
        try await journal.close()
    }

    @Test func `a task of an observer is no call of the middleware that has dispatched the action`() async throws {
        let journal = try openJournal(path, clock)
        let (door, ended) = (Door(), Signal())
        let failure = Box<JournalError?>(nil)
        let observer = Observer<Play, Score> { _ in
            Task {
                let error = await journalError {
                    for _ in 1...10 { _ = try await journal.openPlay("c").dispatch(.add(1)) }
                }
                failure.change { $0 = error }
                ended.send()
            }
        }
        let observed = try await journal.open(play, stream: "b", environment: Stage(), observers: [observer])
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    try await observed.dispatch(.add(1))
                    await door.pass()
                }
            ]
        }
        let store = try await journal.open(machine, stream: "a", environment: Stage())
        try await store.dispatch(.add(1))
        await ended.wait()
        door.open()
        #expect(failure.value == nil)
        try await journal.close()
    }

    @Test func `middleware can close its own host`() async throws {
        let closed = Signal()
        let user = Box<MachineHost<Play, Score>?>(nil)
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    await user.value?.close()
                    closed.send()
                }
            ]
        }
        let journal = try openJournal(path, clock)
        let host = try host(journal, machine)
        user.change { $0 = host }
        try await host.dispatch(.add(1), to: "a")
        await closed.wait()
        user.change { $0 = nil }
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `middleware can close its host or journal while a dispatch waits for a close of its stream by the app`(
        _ closesJournal: Bool
    ) async throws {
        let door = Door()
        let user = Box<MachineHost<Play, Score>?>(nil)
        let machine = self.machine(door, user) { host in
            if closesJournal { try await host.journal.close() } else { await host.close() }
        }
        let journal = try openJournal(path, clock)
        let host = try host(journal, machine)
        user.change { $0 = host }
        try await host.dispatch(.add(1), to: "a")
        await door.comers(1)
        let store = try await host.store(for: "a")
        async let closing: Void = store.close()
        while !store.engine.isClosed { await Task.yield() }
        async let refusal = journalError { try await host.dispatch(.add(2), to: "a") }
        while host.work.withLock({ $0.streams.underWay == 0 }) { await Task.yield() }
        door.open()
        try await closing
        // It was opened for the dispatch before it was closed for good, or not.
        let code = await refusal?.code
        #expect(code == nil || code == .closed)
        await host.close()
        #expect(host.openStreams == 0)
        #expect(try journal.reader.stream("a").headStep == (code == nil ? 2 : 1))
        try await journal.close()
    }

    @Test func `middleware can close its own host while another caller closes it`() async throws {
        let door = Door()
        let user = Box<MachineHost<Play, Score>?>(nil)
        let machine = changed(play) {
            $0.middleware = [
                JournalStore.Middleware { _ in
                    await door.pass()
                    await user.value?.close()
                }
            ]
        }
        let journal = try openJournal(path, clock)
        let host = try host(journal, machine)
        user.change { $0 = host }
        try await host.dispatch(.add(1), to: "a")
        await door.comers(1)
        async let left = host.close()
        while !host.work.withLock({ $0.isClosed }) { await Task.yield() }
        door.open()
        #expect(await left.closed == 1)
        user.change { $0 = nil }
        try await journal.close()
    }

    /// The store refuses the call only when the host has stopped waiting for its bodies.
    @Test
    func `middleware of a host that is being closed does not hold up the end of the journal by a call to a store`()
        async throws
    {
        let journal = try openJournal(path, clock)
        let (door, called) = (Door(), Box<JournalError?>(nil))
        let store = try await journal.openPlay()
        let machine = changed(
            Machine<Play, Score, Stage>("hosted", initialState: Score()) { action, _, _ in
                guard case .start(let name) = action else { return .none }
                return .run(name) {
                    await door.pass()
                    return .ended(name)
                }
            }
        ) {
            $0.middleware = [
                JournalStore.Middleware { step in
                    guard case .start = step.action else { return }
                    let error = await journalError { try await store.dispatch(.add(1), until: { _ in false }) }
                    called.change { $0 = error }
                }
            ]
        }
        let host = try host(journal, machine)
        try await host.dispatch(.start("x"), to: "b")
        await door.comers(1)
        while store.state.sum == 0 { await Task.yield() }
        async let left = host.close(within: .seconds(60))
        while !journal.hosts.areClosing { await Task.yield() }
        async let end: Void = journal.close()
        while !journal.hosts.isClosed { await Task.yield() }
        door.open()
        #expect(await left.interrupted == [])
        try await end
        #expect(called.value?.code == .closed)
    }
}
