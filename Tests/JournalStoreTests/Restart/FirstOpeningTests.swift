import Dispatch
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `The first opening by a new version`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func counter(_ version: Int, _ decodes: @escaping @Sendable (String) -> Void = { _ in })
        -> Machine<Int, Int, Void>
    {
        let machine = Machine<Int, Int, Void>("counter", version: version, initialState: 0) { count, action in
            count += version * action
        }
        return changed(machine.unchanged(since: 1)) { $0.codec = ObservedCodec(decodes: decodes) }
    }

    /// A snapshot that the close saves would look like the base.
    @Test func `leaves the base to the next one if the journal is closed meanwhile`() async throws {
        var journal = try openJournal(path) { $0.snapshots = .never }
        let store = try await journal.open(counter(1), stream: "a")
        for _ in 1...3 { try await store.dispatch(1) }
        try await store.close()
        try await journal.openStream("a", machine: "counter").append("7")
        try await journal.close()

        journal = try openJournal(path, clock)
        let (decoding, closed) = (Signal(), DispatchSemaphore(value: 0))
        let machine = counter(2) { text in
            guard text == "7" else { return }
            decoding.send()
            closed.wait()
        }
        // On a thread of its own, which waits for the close.
        let opening = Task(executorPreference: OrderedExecutor()) { [journal] in
            await journalError { try await journal.open(machine, stream: "a") }?.code
        }
        await decoding.wait()
        try await journal.close()
        closed.signal()
        #expect(await opening.value == .closed)

        journal = try openJournal(path, clock)
        let again = try await journal.open(counter(2), stream: "a")
        #expect(again.recovery.baseStep != nil)
        #expect(again.state == 20)
        try await again.close()
        #expect(await journalError { try await journal.open(counter(1), stream: "a") }?.code == .newerMachine)
        try await journal.close()
    }
}
