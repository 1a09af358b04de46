import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The first opening by a new version`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func doubling(_ version: Int, _ decodes: @escaping @Sendable (String) -> Void = { _ in })
        -> Machine<Int, Int, Void>
    {
        let machine = Machine<Int, Int, Void>("counter", version: version, initialState: 0) { count, action in
            count += version * action
        }
        return changed(machine.unchanged(since: 1)) { $0.codec = ObservedCodec(decodes: decodes) }
    }

    /// A snapshot that the close saves would look like the base.
    @Test func `leaves the base to the next one if the journal is closed meanwhile`() async throws {
        var journal = try openJournal(path, clock)
        try await journal.open(doubling(1), stream: "a").dispatch(1)
        await journal.waitForRelease(of: "a")
        try await journal.openStream("a", machine: "counter").append("7")
        try await journal.close()

        journal = try openJournal(path, clock)
        let (held, isClosed) = (Box<Journal?>(journal), Box(false))
        let machine = doubling(2) { text in
            guard text == "7", let journal = held.value else { return }
            held.change { $0 = nil }
            Task {
                try await journal.close()
                isClosed.change { $0 = true }
            }
            // Decoding cannot wait for a task. If it goes on too early, the opening leaves a base.
            for _ in 1...5_000 where !isClosed.value { Platform.pause(milliseconds: 1) }
        }
        // On a thread of its own: decoding waits for the close.
        let opening = Task(executorPreference: OrderedExecutor()) { [journal] in
            await journalError { try await journal.open(machine, stream: "a") }?.code
        }
        #expect(await opening.value == .closed)
        while !isClosed.value { await Task.yield() }

        journal = try openJournal(path, clock)
        let store = try await journal.open(doubling(2), stream: "a")
        #expect(store.state == 15)
        try await store.close()
        #expect(await journalError { try await journal.open(doubling(1), stream: "a") }?.code == .newerMachine)
        try await journal.close()
    }
}
