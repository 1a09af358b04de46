import Testing
import TortureKit

@testable import JournalStore

/// Operators act on a stream while the app opens and closes it.
@Suite struct `Acts between stores`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private static let effects = 60

    @Test func `each act is done, although stores open and close the stream again and again`() async throws {
        let journal = try openJournal(path, clock)
        let open: @Sendable () async throws -> Store<Play, Score> = {
            try await journal.openPlay { name in .run(name, delay: .seconds(3600)) { nil } }
        }
        let first = try await open()
        for number in 0..<Self.effects { try await first.dispatch(.start("\(number)")) }
        try await first.close()
        let (isDone, hasOpened) = (Watched(false), Signal())
        let opening = Task {
            while !isDone.read({ $0 }) {
                try await open().close()
                hasOpened.send()
            }
        }
        await hasOpened.wait()
        for step in 1...Self.effects {
            let run = try await journal.cancel(RunKey(step: step, ordinal: 0), in: "a")
            #expect(run.status == .cancelled)
        }
        isDone.change { $0 = true }
        try await opening.value
        #expect(try journal.reader.interventions(in: "a").map(\.step) == Array(1...Self.effects))
        try await journal.close()
    }

    /// A host that is being closed opens nothing more, and an operator must not wait for its bodies.
    @Test func `an act on a closed stream is done while the host of its machine waits for its bodies`() async throws {
        let journal = try openJournal(path, clock)
        let door = Door()
        let host = try host(journal, open: 1) { name in
            if name == "later" { return .run(name, delay: .seconds(3600)) { nil } }
            return .run(name) {
                await door.pass()
                return nil
            }
        }
        try await host.dispatch(.start("later"), to: "idle")
        try await host.dispatch(.start("busy"), to: "busy")
        await door.comers(1)
        await wait(host, open: 1)
        let closing = Task { await host.close(within: .seconds(3600)) }
        // Until it takes no calls any more.
        while await journalError({ try await host.state(of: "idle") })?.code != .closed { await Task.yield() }
        let run = RunKey(step: 1, ordinal: 0)
        #expect(try await journal.cancel(run, in: "idle").status == .cancelled)
        #expect(try await journal.cancel(run, in: "busy").status == .cancelled)
        door.open()
        _ = await closing.value
        try await journal.close()
        #expect(try sql("SELECT status FROM effect_run") == ["cancelled", "cancelled"])
    }
}
