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
}
