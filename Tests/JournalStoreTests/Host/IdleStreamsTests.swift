import CFaultVFS
import CJournalSQLite
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The idle streams of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

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

    /// It has no record, so no later opening would start it.
    @Test func `a stream stays open for an effect without a record that has not begun`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { .ephemeral($0, delay: .seconds(3600)) { _ in } }
        try await store.dispatch(.start("x"))
        #expect(try await store.engine.closeIfIdle() == nil)
        try await journal.close()
    }

    @Test func `a stream stays open for a caller that waits for its effects`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock) { .run($0, delay: .seconds(3600)) { nil } }
        try await store.dispatch(.start("x"))
        store.engine.post(.join(Join(bodiesOnly: false) {}))
        #expect(try await store.engine.closeIfIdle() == nil)
        try await journal.close()
    }

    @Test func `a stream stays open for a caller that waits for a state`() async throws {
        let journal = try openJournal(path, clock)
        let store = try await journal.openPlay(clock: clock)
        let waiting = Task { try await store.dispatch(.add(1), until: { $0.sum == 2 }) }
        while store.state.sum == 0 { await Task.yield() }
        #expect(try await store.engine.closeIfIdle() == nil)
        try await store.dispatch(.add(1))
        #expect(try await waiting.value.sum == 2)
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

    @Test(arguments: ["states", "transitions"])
    func `a stream closes when nothing listens to it any more`(_ what: String) async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, open: 0)
        try await host.dispatch(.add(1), to: "a")
        if what == "states" {
            var states = try await host.store(for: "a").states.makeAsyncIterator()
            #expect(await states.next()?.sum == 1)
        } else {
            var transitions = try await host.store(for: "a").transitions(from: 1).makeAsyncIterator()
            #expect(try await transitions.next()?.action == .add(1))
        }
        await wait(host, open: 0)
        #expect(try await host.state(of: "a").sum == 1)
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

    @Test(arguments: ["dispatch", "reply", "until"])
    func `states that grow with their first dispatch count for the limit`(_ call: String) async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal, bytes: 10_000)
        let long = String(repeating: "x", count: 1_000)
        for number in 1...50 {
            switch call {
            case "reply": _ = try await host.reply(to: .ended(long), of: "s\(number)")
            case "until": try await host.dispatch(.ended(long), to: "s\(number)") { !$0.log.isEmpty }
            default: try await host.dispatch(.ended(long), to: "s\(number)")
            }
        }
        _ = await host.progress.wait { _ in
            host.work.withLock { $0.streams.openCount <= 12 && $0.streams.underWay == 0 } ? true : nil
        }
        for number in [1, 50] { #expect(try await host.state(of: "s\(number)").log.joined().contains(long)) }
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

    @Test func `the start opens streams whose timers came due while no process ran`() async throws {
        var journal = try openJournal(path, clock)
        let old = try host(journal) { _ in .after(.seconds(60), .add(1)) }
        try await old.dispatch(.start("timer"), to: "a")
        try await journal.close()
        clock.move(by: .seconds(61))
        journal = try openJournal(path, clock)
        let recovery = await (try host(journal)).recovery()
        #expect(recovery.opened == 1)
        #expect(recovery.waiting == 0)
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

    @Test func `an orphan is reported if nothing ends it, in whichever stream it is found first`() async throws {
        let effects: @Sendable (String) -> Effect<Play> = { name in
            let run = Effect<Play>.run(name, restart: name == "asked" ? .ask : .resume) {
                try await forever(); return nil
            }
            return name == "handled" ? run.onOrphan(.add(1)) : run
        }
        var journal = try openJournal(path, clock)
        let old = try host(journal, effects: effects)
        for (stream, name) in [("a", "handled"), ("a", "asked"), ("b", "handled"), ("b", "left"), ("c", "left")] {
            try await old.dispatch(.start(name), to: stream)
        }
        try await journal.close()
        // An opening asks about it.
        journal = try openJournal(path, clock)
        #expect(await (try host(journal, effects: effects)).recovery().opened == 3)
        try await journal.close()

        let notices = Box<[Notice]>([])
        journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        #expect(await (try host(journal)).recovery().opened == 3)
        try await journal.close()
        // The streams are opened together, in any order.
        let found = notices.value.filter { $0.kind == .orphanedEffects }.map(\.error).sorted { $0.message < $1.message }
        #expect(found.count == 2 && found.first?.stream == "a" && ["b", "c"].contains(found.last?.stream))
        #expect(found.first?.message.contains("'asked'") == true && found.last?.message.contains("'left'") == true)
        #expect(found.first?.advice.contains("--status asked") == true)
        #expect(found.last?.advice.contains("--status orphaned") == true)
    }

    @Test func `effects that wait for a decision are reported`() async throws {
        let begun = Signal()
        let effects: @Sendable (String) -> Effect<Play> = { name in
            .run(name, restart: .ask) {
                begun.send()
                try await forever(); return nil
            }
        }
        var journal = try openJournal(path, clock)
        let old = try host(journal, effects: effects)
        for stream in ["a", "b"] { try await old.dispatch(.start("pay"), to: stream) }
        await begun.wait(times: 2)
        try await journal.close()
        let notices = Box<[Notice]>([])
        journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in notices.change { $0.append(notice) } }
        }
        let new = try host(journal, effects: effects)
        #expect(await new.recovery().opened == 2)
        try await journal.close()
        #expect(notices.value.map(\.kind) == [.askedEffects])
        #expect(notices.value.first?.error.message.hasPrefix("The effect 'pay' (1.0) waits for a decision:") == true)
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

    private func verifies() async throws -> Bool {
        try JournalReader(path: path).verify().isSound
    }
}
