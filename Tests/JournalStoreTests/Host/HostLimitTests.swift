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
}
