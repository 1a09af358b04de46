import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The timers of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

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

    @Test(arguments: [0, -3_600])
    func `a repeated timer that leaves out missed ticks is late by a moment, and ticks all the same`(
        clockIsSetBy seconds: Int
    ) async throws {
        let set = Box(Duration.zero)
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = { clock.wallClock().advanced(by: set.value) }
        }
        let host = try host(journal, open: 0) { .every(.seconds(10), .ended($0), missed: .none) }
        set.change { $0 = .seconds(seconds) }
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
        let sleeper = host.work.withLock { $0.timers.sleeper?.task }
        #expect(sleeper != nil)
        host.openDueTimers(clock.wallClock())
        let newer = host.work.withLock { $0.timers.sleeper?.task }
        #expect(newer == sleeper)
        try await journal.close()
    }

    /// The timer of an open stream waits for its duration, that of a closed one for the wall clock.
    @Test func `a stream is closed when it is idle also if the clock was set forward, and its timer goes off then`()
        async throws
    {
        let set = Box(Duration.zero)
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = { clock.wallClock().advanced(by: set.value) }
        }
        let host = try host(journal, open: 0) { .after(.seconds(3_600), .ended($0)) }
        var store: Store<Play, Score>? = try await host.store(for: "a")
        try await store?.dispatch(.start("timer"))
        set.change { $0 = .seconds(7_200) }
        store = nil
        try await arrives("ended", journal)
        try await journal.close()
    }

    @Test func `if the journal has stopped, the streams that cannot be opened for their timers are reported once`()
        async throws
    {
        let (failed, notices) = (Signal(), Box<[Notice]>([]))
        let journal = try openJournal(path) { [clock] options in
            options.wallClock = clock.wallClock
            options.report = { notice in
                notices.change { $0.append(notice) }
                if notice.kind == .openingFailed { failed.send() }
            }
        }
        let host = try host(journal, open: 0) { .after(.seconds(60), .ended($0)) }
        for name in ["a", "b", "c"] { try await host.dispatch(.start(name), to: name) }
        await wait(host, open: 0)
        try FileManager.default.moveItem(atPath: path, toPath: path + "-away")
        #expect(await journalError { try await host.dispatch(.add(1), to: "d") }?.code == .fenced)
        await clock.sleepers(1)
        clock.move(by: .seconds(60))
        await failed.wait()
        _ = await host.progress.wait { _ in
            host.work.withLock { $0.queuedToOpen.isEmpty && $0.streams.underWay == 0 } ? true : nil
        }
        #expect(notices.value.filter { $0.kind == .openingFailed }.count == 1)
        #expect(await journalError { try await journal.close() }?.code == .fenced)
    }

    @Test func `a dispatch with an empty ID creates no stream`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        for error in [
            await journalError { try await host.dispatch(.add(1), to: "a", id: "") },
            await journalError { try await host.dispatch(.add(1), to: "a", id: "", until: { _ in true }) },
            await journalError { try await host.reply(to: .add(1), of: "a", id: "") },
        ] {
            #expect(error?.code == .badArgument)
            #expect(error?.stream == "a")
        }
        #expect(try journal.reader.streams().isEmpty)
        try await journal.close()
    }
}
