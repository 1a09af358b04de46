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
}
