import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `A host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

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

    @Test func `a dispatch of no actions creates no stream`() async throws {
        let journal = try openJournal(path, clock)
        let host = try host(journal)
        #expect(try await host.dispatch(contentsOf: [], to: "typo").isEmpty)
        #expect(try journal.reader.streams().isEmpty)
        #expect(try await host.dispatch(contentsOf: [.add(2), .add(3)], to: "order-17").count == 2)
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
            #expect(await journalError { try await journal.openAny("a", machine: "play") }?.code == .corrupt)
        }
        #expect(try await again.dispatch(.add(1), to: "b").step == 1)
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
}
