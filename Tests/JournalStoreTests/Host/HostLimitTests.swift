import Dispatch
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The limit of a host`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

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

    /// Otherwise a host would refuse everything after its limit's number of calls.
    @Test func `each kind of dispatch takes one place, and gives it back`() async throws {
        let journal = try openJournal(path, clock)
        let host = try journal.host(
            play, environment: Stage(), clock: clock, options: changed(HostOptions()) { $0.maxDispatches = 1 })
        for _ in 1...2 {
            try await host.dispatch(.add(1), to: "a", ifFull: .refuse)
            try await host.dispatch(contentsOf: [.add(1), .add(1)], to: "a", ifFull: .refuse)
            try await host.dispatch(contentsOf: [], to: "a", ifFull: .refuse)
            _ = try await host.reply(to: .add(1), of: "a", ifFull: .refuse)
            await #expect(throws: JournalError.self) { try await host.dispatch(.add(1), to: "", ifFull: .refuse) }
        }
        #expect(try await host.state(of: "a").sum == 8)
        // As a dispatch that is under way.
        try await host.enter(.refuse, "a")
        let refused = await journalError { try await host.dispatch(contentsOf: [.add(1)], to: "a", ifFull: .refuse) }
        #expect(refused?.code == .overloaded)
        host.leave()
        try await journal.close()
    }

    @Test func `a host opens no more streams at a time by itself than its options allow`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = MachineHost<Play, Score>(
            journal, machine: play.name, try journal.hosts.reserve(play.name, in: path), hasInitialEffect: false,
            ticker: Ticker(clock, in: JournalOptions()), changed(HostOptions()) { $0.maxOpenings = 2 }
        ) { stream, _ throws(JournalError) in
            await door.pass()
            throw JournalError(.notDecodable, "It cannot be opened.", stream: stream)
        }
        for number in 1...5 { host.messageArrived(in: "\(number)") }
        #expect(host.work.withLock { $0.openers } == 2)
        await door.comers(2)
        #expect(host.work.withLock { $0.toOpen.count } == 3)
        door.open()
        await door.comers(5)
        await host.close()
        try await journal.close()
    }
}
