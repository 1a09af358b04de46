import Testing
import TortureKit

@testable import JournalStore

/// A message ends its run in the transaction that appends it, so the earlier records of that run must be older.
@Suite struct `The records of a sender`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    @Test func `a closed stream gets no message before the sender's earlier records are written`() async throws {
        let journal = try openJournal(path) { options in
            options.busyTimeout = .milliseconds(20)
            // No transaction but those of the dispatch and of the message.
            options.idleDelay = .seconds(1_000_000)
        }
        let receiver = Machine<Int, [Int], Void>("receiver", initialState: [], update: { $0.append($1) })
        let sender = Machine<Int, [Int], Void>("sender", initialState: [], update: { $0.append($1) })
            .connected(to: receiver, stream: "to") { $0.action }
        let lock = try ShortLock(path)
        let locking = Observer<Int, [Int]> { [writer = journal.writer] _ in lock.take(from: writer) }
        let store = try await journal.open(sender, stream: "from", observers: [locking])
        await (try await store.dispatch(1)).completion()
        #expect(lock.failures.value == [.busy])
        try await store.flush()
        #expect(try journal.reader.effectRuns(in: "from").map(\.status) == [.completed])
        #expect(try journal.reader.entries(in: "to").map(\.action) == ["1"])
        try await journal.close()
    }
}

/// Another program's write lock, given up as soon as a transaction has failed because of it.
///
/// `@unchecked`: the thread that reduces takes the lock, and only then the thread that commits gives it up.
private final class ShortLock: DeferredWriteSource, @unchecked Sendable {
    let failures = Box<[JournalError.Code]>([])
    private let shell: Shell

    init(_ path: String) throws { shell = try Shell(path) }

    /// Takes the lock, and joins the next transaction to learn its result.
    func take(from writer: JournalWriter) {
        run("BEGIN IMMEDIATE")
        writer.deferWrite(of: self, .soon)
    }

    private func run(_ sql: String) {
        do { try shell(sql) } catch { Issue.record(error) }
    }

    func take(_ urgency: DeferredWriteQueue.Urgency) -> Batch? { Batch() }

    func wasWritten(_ result: Result<Void, JournalError>) {
        guard case .failure(let error) = result else { return }
        failures.change { $0.append(error.code) }
        run("ROLLBACK")
    }

    func isStuck() -> Bool { false }
}
