import Testing

@testable import JournalStore

@Suite struct `The rejection of a repeated dispatch`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// Rejects what is above a maximum; without a reason, if it is above 100.
    private static func till(version: Int = 1, most: Int = 10) -> Machine<Int, Int, Void> {
        Machine<Int, Int, Void>("till", version: version, initialState: 0) { action, state, _ in
            if action > most { return .reject(action > 100 ? "" : "At most \(most).") }
            state += action
            return .none
        }
        .unchanged(since: 1)
    }

    private static let expected: [(action: Int, rejection: String?)] = [(5, nil), (20, "At most 10."), (200, "")]

    private func repeatAll(in store: Store<Int, Int>) async throws {
        for (action, rejection) in Self.expected {
            let again = try await store.dispatch(action, id: "\(action)")
            #expect(again.outcome == .repeated)
            #expect(again.rejection == rejection)
        }
    }

    @Test func `it is the rejection of the first dispatch, also after a restart and with other code`() async throws {
        var journal = try openJournal(path)
        var store = try await journal.open(Self.till(), stream: "a")
        for (action, rejection) in Self.expected {
            #expect(try await store.dispatch(action, id: "\(action)").rejection == rejection)
        }
        try await repeatAll(in: store)
        for (version, most) in [(1, 10), (2, 1_000), (3, 1)] {
            try await journal.close()
            journal = try openJournal(path)
            store = try await journal.open(Self.till(version: version, most: most), stream: "a")
            try await repeatAll(in: store)
        }
        try await journal.close()
    }

    @Test func `it is known before the record of the step is written`() async throws {
        let journal = try openJournal(path) { $0.report = { _ in } }
        let store = try await journal.open(Self.till(), stream: "a")
        try await journal.refuse("INSERT ON step_record")
        try await store.dispatch(20, id: "20")
        #expect(await journalError { try await store.flush() } != nil)
        #expect(try await store.dispatch(20, id: "20").rejection == "At most 10.")
        try await journal.refuseNothing()
        try await store.flush()
        #expect(try sql("SELECT outcome, reason FROM step_record") == ["rejected|At most 10."])
        #expect(try await store.dispatch(20, id: "20").rejection == "At most 10.")
        try await journal.close()
    }

    @Test func `dispatches with one ID at the same time get the same rejection`() async throws {
        let journal = try openJournal(path)
        let store = try await journal.open(Self.till(), stream: "a")
        let rejections = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { try await store.dispatch(20, id: "20").rejection } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(rejections == ["At most 10."])
        try await journal.close()
    }

    @Test func `a host and a blocking store tell it, too`() async throws {
        let journal = try openJournal(path)
        let host = try journal.host(Self.till(), clock: clock)
        let blocking = try await host.store(for: "b").blocking
        for _ in 1...2 {
            let dispatched = try await onThread { try blocking.dispatch(20, id: "20") }
            #expect(dispatched.rejection == "At most 10.")
        }
        // Used last, so that the host is not released before.
        for _ in 1...2 { #expect(try await host.dispatch(20, to: "a", id: "20").rejection == "At most 10.") }
        try await journal.close()
    }

    @Test func `it says that an operator has skipped the step`() async throws {
        let journal = try openJournal(path)
        // It is in the journal, and was not reduced.
        let stream = try await journal.openStream("a", machine: "till")
        try await stream.append("5", id: "5")
        try await stream.close()
        try await journal.skip(1, in: "a")
        for _ in 0..<2 {
            let store = try await journal.open(Self.till(), stream: "a")
            let again = try await store.dispatch(5, id: "5")
            #expect(again.step == 1)
            #expect(again.rejection == "An operator has skipped the step.")
            guard case .failure(5, from: 0, let reason) = try await store.reply(to: 5, id: "5") else {
                Issue.record("It has no failure as its reply.")
                return
            }
            #expect(reason == nil)
            try await store.close()
        }
        try await journal.close()
    }

    @Test func `it is not known any more after the step was pruned`() async throws {
        let journal = try openJournal(path)
        let first = try await journal.open(Self.till(), stream: "a")
        try await first.dispatch(20, id: "20")
        for _ in 0..<2 { try await first.dispatch(1) }
        try await first.flush()
        try await first.engine.stream.saveSnapshot("1", at: 2)
        try await first.close()
        #expect(try await journal.prune("a", before: 3).base == 2)
        let store = try await journal.open(Self.till(), stream: "a")
        let again = try await store.dispatch(20, id: "20")
        #expect(again.step == 1)
        #expect(again.outcome == .repeated)
        #expect(again.rejection == nil)
        let error = await journalError { try await store.reply(to: 20, id: "20") }
        #expect(error?.code == .noUsableSnapshot && error?.step == 1)
        #expect(error?.message.hasPrefix("The dispatch was made before, as this step") == true)
        try await journal.close()
    }
}
