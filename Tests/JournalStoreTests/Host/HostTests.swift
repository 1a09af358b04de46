import Dispatch
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func time(_ seconds: Int64) -> Timestamp { clock.wallClock().advanced(by: .seconds(seconds)) }

    // MARK: Opening on demand

    @Test func `a dispatch opens its stream, and creates it if there is none`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        #expect(try await host.dispatch(.add(2), to: "order-17").step == 1)
        #expect(try await host.dispatch(.add(3), to: "order-17").step == 2)
        #expect(try await host.state(of: "order-17").sum == 5)
        #expect(host.openStreams == 1)
        try await journal.close()
        #expect(try sql("SELECT stream, step FROM journal") == ["order-17|1", "order-17|2"])
    }

    @Test func `the state of a stream that does not exist is an error, and creates none`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        let error = await journalError { try await host.state(of: "typo") }
        #expect(error?.code == .unknownStream)
        #expect(error?.stream == "typo")
        #expect(try journal.reader.streams().isEmpty)
        try await journal.close()
    }

    @Test func `closing a host saves the states, so that a new version begins with them`() async throws {
        func doubling(_ version: Int) -> Machine<Int, Int, Void> {
            Machine<Int, Int, Void>("doubling", version: version, initialState: 0) { $0 += version * $1 }
                .unchanged(since: 1)
        }
        var journal = try openJournal(path, clock)
        let old = try journal.host(doubling(1), clock: clock)
        for name in ["a", "b"] { for number in 1...3 { try await old.dispatch(number, to: name) } }
        await old.close()
        try await journal.close()
        journal = try openJournal(path, clock)
        let new = try journal.host(doubling(2), clock: clock)
        #expect(try await new.state(of: "a") == 6)
        #expect(try await new.state(of: "b") == 6)
        #expect(try await new.store(for: "a").recovery.olderSteps == 0)
        try await journal.close()
    }

    @Test func `a host reports once that a new version had to reduce older steps, and that effects are orphans`()
        async throws
    {
        func runs(_ version: Int) -> Machine<Int, Int, Void> {
            Machine<Int, Int, Void>("runs", version: version, initialState: 0) { action, count, _ in
                count += action
                return version == 1
                    ? .run("old", id: action) {
                        try await forever()
                        return nil
                    } : .none
            }
            .unchanged(since: 1)
        }
        var journal = try openJournal(path, clock)
        let old = try journal.host(runs(1), clock: clock)
        for name in ["a", "b"] { try await old.store(for: name).dispatch(1) }
        for name in ["a", "b"] { try await old.store(for: name).flush() }
        let killed = folder.path("killed.db")
        _ = try sql("VACUUM INTO '\(killed)'")
        try await journal.close()
        let notices = Box<[Notice]>([])
        var options = Journal.Options()
        options.report = { notice in notices.change { $0.append(notice) } }
        journal = try Journal(path: killed, options: options)
        let new = try journal.host(runs(2), clock: clock)
        _ = await new.recovery()
        // The copy has no -lock.
        let kinds = ["nothing-remembered", "older-steps", "orphaned-effects"]
        #expect(notices.value.map(\.kind.rawValue).sorted() == kinds)
        try await journal.close()
    }

    @Test func `many callers of one stream open it once`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        try await withThrowingTaskGroup { group in
            for _ in 0..<200 { group.addTask { try await host.dispatch(.add(1), to: "a") } }
            try await group.waitForAll()
        }
        #expect(try await host.state(of: "a").sum == 200)
        try await journal.close()
    }

    @Test func `a stream that cannot be opened throws for each caller, and another stream works`() async throws {
        let journal = try openJournal(path, clock)
        _ = try await journal.openStream("other", machine: "another machine")
        let host = try host(journal)
        for _ in 0..<2 {
            let error = await journalError { try await host.dispatch(.add(1), to: "other") }
            #expect(error?.code == .otherMachine)
        }
        try await host.dispatch(.add(1), to: "a")
        try await journal.close()
    }

    @Test func `a machine has one host in a journal, and another one after the first was closed`() async throws {
        let journal = try openJournal(path, clock)
        let first = try host(journal)
        #expect(await journalError { try host(journal) }?.code == .hostOpen)
        await first.close()
        let second = try host(journal)
        try await second.dispatch(.add(1), to: "a")
        #expect(await journalError { try await first.dispatch(.add(1), to: "a") }?.code == .closed)
        try await journal.close()
        #expect(await journalError { try await second.dispatch(.add(1), to: "b") }?.code == .closed)
        #expect(await journalError { try host(journal) }?.code == .closed)
    }

    @Test func `a dispatch creates a stream of which another caller only wants to see the state`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        // The other caller is about to open the stream.
        _ = host.work.withLock { $0.streams.demand("new") { _ in true } }
        let inTurn = OrderedExecutor()
        let dispatched = Task(executorPreference: inTurn) { try await host.dispatch(.add(1), to: "new") }
        // The dispatch waits by now: it runs on the same thread as these tasks, and was there first.
        for _ in 1...20 { await Task(executorPreference: inTurn) {}.value }
        #expect(await journalError { try await host.openNow("new", createsStream: false) }?.code == .unknownStream)
        #expect(try await dispatched.value.step == 1)
        try await journal.close()
    }

    // MARK: Closing idle streams

    @Test func `a stream stays open while something listens to it, although nothing refers to its store`() async throws
    {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 1)
        try await host.dispatch(.add(1), to: "a")
        var states = try await host.store(for: "a").states.makeAsyncIterator()
        var transitions = try await host.store(for: "a").transitions().makeAsyncIterator()
        for name in ["b", "c", "d"] { try await host.dispatch(.add(1), to: name) }
        await wait(host, open: 1)
        try await host.dispatch(.add(5), to: "a")
        #expect(await states.next()?.sum == 1)
        #expect(await states.next()?.sum == 6)
        #expect(try await transitions.next()?.action == .add(5))
        try await journal.close()
    }

    @Test func `a stream stays open for a sequence of its steps that is read later`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 1)
        let transitions = try await host.store(for: "a").transitions()
        for name in ["b", "c", "d"] { try await host.dispatch(.add(1), to: name) }
        await wait(host, open: 1)
        try await host.dispatch(.add(5), to: "a")
        var steps = transitions.makeAsyncIterator()
        #expect(try await steps.next()?.action == .add(5))
        withExtendedLifetime(transitions) {}
        try await journal.close()
    }

    @Test func `the streams that were not used for longest are closed, and callers do not notice`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 3)
        for round in 1...5 {
            for stream in 0..<10 { #expect(try await host.dispatch(.add(1), to: "\(stream)").step == round) }
            await wait(host, open: 3)
        }

        for stream in 0..<10 { #expect(try await host.state(of: "\(stream)").sum == 5) }
        try await journal.close()
        #expect(try await verifies())
    }

    @Test func `many callers of more streams than may be open lose nothing`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 2)
        try await withThrowingTaskGroup { group in
            for caller in 0..<16 {
                group.addTask {
                    for number in 0..<40 { try await host.dispatch(.add(1), to: "\((caller + number) % 8)") }
                }
            }
            try await group.waitForAll()
        }
        for stream in 0..<8 { #expect(try await host.state(of: "\(stream)").sum == 80) }
        try await journal.close()
        #expect(try await verifies())
    }

    @Test func `a store that a caller holds stays open`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 1)
        let store = try await host.store(for: "held")
        for stream in 0..<20 { try await host.dispatch(.add(1), to: "\(stream)") }
        await wait(host, open: 1)
        try await store.dispatch(.add(7))
        #expect(try await host.state(of: "held").sum == 7)
        try await journal.close()
    }

    @Test func `a stream with a running body stays open, and its result arrives`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal, open: 0) { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        let dispatched = try await host.dispatch(.start("pay"), to: "a")
        for stream in 0..<5 { try await host.dispatch(.add(1), to: "\(stream)") }
        await wait(host, open: 1)
        door.open()
        await dispatched.completion()
        #expect(try await host.state(of: "a").log == ["pay"])
        try await journal.close()
    }

    @Test func `the result of a dispatch stays usable while its effect is delayed`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .after(.seconds(60), .ended($0)) }
        let dispatched = try await host.dispatch(.start("later"), to: "a")
        for stream in 0..<5 { try await host.dispatch(.add(1), to: "\(stream)") }
        await wait(host, open: 1)
        clock.move(by: .seconds(60))
        await dispatched.completion()
        #expect(try await host.state(of: "a").log == ["later"])
        try await journal.close()
    }

    @Test func `the limit in bytes closes streams with long states`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, bytes: 2_000)
        for stream in 0..<3 {
            for _ in 0..<300 { try await host.dispatch(.ended("a long name"), to: "\(stream)") }
        }
        await wait(host, open: 0)
        #expect(try await host.state(of: "0").log.count == 300)
        try await journal.close()
    }

    @Test func `a stream closes when it is idle, although a caller once waited for its effects`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { .every(.seconds(60), .ended($0)) }
        try await store.dispatch(.start("x"))
        let join = Task { await store.join() }
        join.cancel()
        await join.value
        #expect(try await store.engine.closeIfIdle() != nil)
        try await journal.close()
    }

    // MARK: Timers

    @Test func `a timer that is due opens its stream`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .after(.seconds(60), .ended($0)) }
        try await host.dispatch(.start("timer"), to: "a")
        await wait(host, open: 0)
        #expect(try sql("SELECT status FROM effect_run") == ["delayed"])
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await arrives("ended", journal)
        try await says(["timer"], host, "a")
        try await journal.close()
    }

    @Test func `after a restart a timer that is due opens its stream, and no other stream is opened`() async throws {
        var journal = try openJournal(path, clock)
        var host = try host(journal) { .after(.seconds($0 == "soon" ? 60 : 600), .ended($0)) }
        try await host.dispatch(.start("soon"), to: "a")
        try await host.dispatch(.start("later"), to: "b")
        try await host.dispatch(.add(1), to: "c")
        try await journal.close()

        journal = try openJournal(path, clock)
        host = try self.host(journal)
        #expect(await host.recovery() == HostRecovery(opened: 0, waiting: 2))
        #expect(host.openStreams == 0)
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        try await arrives("ended", journal)
        await wait(host, open: 1)
        try await says(["soon"], host, "a")
        try await journal.close()
    }

    @Test func `a repeated timer whose stream is closed between its ticks ticks on time`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0) { .every(.seconds(10), .ended($0)) }
        try await host.dispatch(.start("tick"), to: "a")
        for tick in 1...5 {
            await wait(host, open: 0)
            await clock.sleepers(1)
            clock.move(by: .seconds(10))
            try await arrives("ended", journal, times: tick)
        }
        try await says(Array(repeating: "tick", count: 5), host, "a")
        try await journal.close()
    }

    // MARK: The start

    @Test func `after a restart the host continues all running effects by itself`() async throws {
        var journal = try openJournal(path, clock)
        let door = Door()
        var host = try host(journal) { name in
            .run(name) {
                await door.pass()
                return .ended(name)
            }
        }
        for stream in 0..<50 { try await host.dispatch(.start("pay"), to: "\(stream)") }
        for stream in 50..<100 { try await host.dispatch(.add(1), to: "\(stream)") }
        await door.comers(50)
        let left = await host.close()
        #expect(left.closed == 100)
        #expect(left.interrupted.count == 50)
        #expect(left.failures.isEmpty)
        try await journal.close()
        door.open()

        journal = try openJournal(path, clock)
        host = try self.host(journal) { name in .run(name) { .ended(name) } }
        #expect(await host.recovery() == HostRecovery(opened: 50, waiting: 0))
        try await arrives("ended", journal, times: 50)
        for stream in 0..<50 { try await says(["pay"], host, "\(stream)") }
        try await journal.close()
    }

    /// Makes a journal with the streams a, b and c, each with an effect that has not ended.
    private func leaveThreeEffects() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal) { name in
            .run(name) {
                try await forever()
                return nil
            }
        }
        for stream in ["a", "b", "c"] { try await host.dispatch(.start("pay"), to: stream) }
        await host.close()
        // An opening reads the stream of the last transaction: it must not be the damaged one.
        try await journal.openStream("d", machine: "log").append("1")
        try await journal.close()
    }

    @Test func `a stream that cannot be opened is reported, and the others are continued`() async throws {
        try await leaveThreeEffects()
        try Shell(path).change(
            """
            UPDATE entry SET action = '{"unknown":{}}' WHERE stream = (SELECT id FROM stream WHERE name = 'b')
            """, withEntries: true)

        let notices = Box<[Notice]>([])
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        let recovery = await host.recovery()
        #expect(recovery.opened == 2)
        #expect(recovery.failures.map(\.stream) == ["b"])
        #expect(recovery.failures.map(\.code) == [.notDecodable])
        #expect(notices.value.map(\.kind) == [.openingFailed])
        try await arrives("ended", journal, times: 2)
        try await journal.close()
    }

    @Test(arguments: [
        ("UPDATE stream SET machine = 'other' WHERE name = 'b'", JournalError.Code.corrupt),
        ("DELETE FROM effect_run WHERE stream = (SELECT id FROM stream WHERE name = 'b')", .corrupt),
    ])
    func `a damaged stream does not keep the others from going on`(
        _ damage: String, _ code: JournalError.Code
    ) async throws {
        try await leaveThreeEffects()
        try Shell(path, readOnly: false)(damage)

        let journal = try openJournal(path, clock)
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        let recovery = await host.recovery()
        #expect(recovery.opened == 2)
        #expect(recovery.failures.map(\.code) == [code])
        #expect(recovery.failures.first?.description.contains("stream") == true)
        try await arrives("ended", journal, times: 2)
        try? await journal.close()
    }

    @Test func `a stream that cannot be opened gives each dispatch the same error`() async throws {
        do {
            let journal = try openJournal(path, clock)
            let first = try host(journal)
            try await first.dispatch(.add(2), to: "a")
            try await journal.close()
        }
        #expect(try sql("SELECT step FROM snapshot") == ["1"])
        // No stream has that many steps.
        try Shell(path)("UPDATE snapshot SET step = 1 << 60")
        let journal = try openJournal(path, clock)
        let again = try host(journal)
        for _ in 1...3 {
            let error = await journalError { try await again.dispatch(.add(1), to: "a") }
            #expect(error?.code == .corrupt)
            #expect(error?.stream == "a")
        }
        for _ in 1...2 {
            #expect(await journalError { try await journal.openStream("a", machine: "play") }?.code == .corrupt)
        }
        #expect(try await again.dispatch(.add(1), to: "b").step == 1)
        try await journal.close()
    }

    @Test func `streams that cannot be opened because nothing can be written are each named`() async throws {
        try await leaveThreeEffects()
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.busyTimeout = .milliseconds(20)
        }
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        let recovery = await host.recovery()
        #expect(recovery.failures.map(\.code) == [.busy, .busy, .busy])
        #expect(recovery.failures.compactMap(\.stream).sorted() == ["a", "b", "c"])
        try shell("ROLLBACK")
        try await journal.close()
    }

    @Test func `the start of a host that was closed reads no further page`() async throws {
        try await leaveThreeEffects()
        let journal = try openJournal(path, clock)
        for goesOn in [true, false] {
            let found = Box<[String]>([])
            var place = WakingPlace()
            try await journal.reader.forEachWakingStream(
                of: play.name, from: &place, hasInitialEffect: false, goesOn: { goesOn }, damaged: { _ in }
            ) { page in found.change { $0 += page.map(\.name) } }
            #expect(found.value == (goesOn ? ["a", "b", "c"] : []))
        }
        try await journal.close()
    }

    @Test func `a stream that is tried again during the start counts once`() async throws {
        try await leaveThreeEffects()
        let failed = Signal()
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.busyTimeout = .milliseconds(20)
            options.report = { notice in if notice.kind == .openingFailed { failed.send() } }
        }
        let shell = try Shell(path)
        try shell("BEGIN IMMEDIATE")
        // The start waits for the openings of these.
        for stream in ["b", "c"] { journal.beginRelease(of: stream) }
        let host = try host(journal) { name in .run(name) { .ended(name) } }
        await failed.wait()
        await clock.sleepers(1)
        clock.move(by: .seconds(1))
        await failed.wait()
        try shell("ROLLBACK")
        for stream in ["b", "c"] { journal.finishedRelease(of: stream) }
        let recovery = await host.recovery()
        #expect(recovery.failures.compactMap(\.stream) == ["a"])
        #expect(recovery.failed == 1)
        #expect(recovery.opened == 2)
        try await journal.close()
    }

    // MARK: Several machines

    @Test func `a message opens a stream that is closed`() async throws {
        let journal = try openJournal(path, clock)
        let receiver = Machine<Play, Score, Void>("receiver", initialState: Score()) { action, state, _ in
            if case .add(let number) = action { state.sum += number }
            return .none
        }
        let sender = Machine<Play, Score, Void>("sender", initialState: Score()) { _, _, _ in .none }
            .connected(to: receiver) { step in
                if case .add(let number) = step.action { ("to-\(number)", .add(number)) } else { nil }
            }
        let receivers = try journal.host(receiver, clock: clock)
        let senders = try journal.host(sender, clock: clock)
        for number in 1...20 { try await senders.dispatch(.add(number), to: "from") }
        _ = await receivers.progress.wait { _ in receivers.openStreams == 20 ? true : nil }
        for number in 1...20 {
            _ = try await receivers.dispatch(.refuse, to: "to-\(number)") { $0.sum == number }
        }
        try await journal.close()
    }

    // MARK: The limit

    @Test func `a dispatch beyond the limit waits or is refused, also one with a reply`() async throws {
        let journal = try openJournal(path, clock)
        let (entered, mayEnd) = (Signal(), DispatchSemaphore(value: 0))
        let blocking = Observer<Play, Score> { _ in
            entered.send()
            mayEnd.wait()
        }
        let host = try journal.host(
            play, environment: Stage(), clock: clock, observers: { _ in [blocking] },
            options: changed(HostOptions()) { $0.maxDispatches = 1 })
        // The observer blocks its thread, which must not be one of the few that all tasks share.
        let first = Task(executorPreference: OrderedExecutor()) { try await host.dispatch(.add(1), to: "a").step }
        await entered.wait()
        let refused = await journalError { try await host.dispatch(.add(1), to: "a", ifFull: .refuse) }
        #expect(refused?.code == .overloaded)
        let unanswered = await journalError { try await host.reply(to: .add(1), of: "a", ifFull: .refuse) }
        #expect(unanswered?.code == .overloaded)
        async let second = host.dispatch(.add(1), to: "a")
        for _ in 1...2 { mayEnd.signal() }
        #expect(try await [first.value, second.step].sorted() == [1, 2])
        #expect(try await host.state(of: "a").sum == 2)
        try await journal.close()
    }

    @Test func `a dispatch and a reply that wait for room are refused when the host is closed`() async throws {
        let journal = try openJournal(path, clock)
        let (entered, mayEnd) = (Signal(), DispatchSemaphore(value: 0))
        let blocking = Observer<Play, Score> { _ in
            entered.send()
            mayEnd.wait()
        }
        let host = try journal.host(
            play, environment: Stage(), clock: clock, observers: { _ in [blocking] },
            options: changed(HostOptions()) { $0.maxDispatches = 1 })
        let first = Task(executorPreference: OrderedExecutor()) { try await host.dispatch(.add(1), to: "a").step }
        await entered.wait()
        let dispatch = Task { await journalError { try await host.dispatch(.add(1), to: "b") } }
        let reply = Task { await journalError { try await host.reply(to: .add(1), of: "b") } }
        let closing = Task { await host.close() }
        while !host.work.withLock({ $0.isClosed }) { await Task.yield() }
        mayEnd.signal()
        #expect(await dispatch.value?.code == .closed)
        #expect(await reply.value?.code == .closed)
        #expect(try await first.value == 1)
        _ = await closing.value
        #expect(try journal.reader.streams().map(\.name) == ["a"])
        try await journal.close()
    }

    // MARK: Helpers

    private func verifies() async throws -> Bool {
        try JournalReader(path: path).verify().isSound
    }
}
