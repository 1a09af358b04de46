import Dispatch
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

/// A fold has read steps ahead when another process prunes them.
@Suite struct `A fold during a pruning`: AtDesk {
    let desk: Desk
    init() throws { desk = try Desk() }

    /// A counter that counts double in version 1, and refuses negative numbers. Zero starts an effect that does not end.
    private func counter(_ version: Int) -> Machine<Int, Int, Void> {
        Machine<Int, Int, Void>("counter", version: version, initialState: 0) { action, count, _, _ in
            if action < 0 { return .reject("It is negative.") }
            count += version == 1 ? 2 * action : action
            return action == 0 ? .run("wait", delay: .seconds(86_400)) { nil } : .none
        }.unchanged(since: 1)
    }

    @Test func `a base that a later one has replaced is not passed over`() async throws {
        let journal = try openJournal(path) { $0.snapshots = SnapshotPolicy(everySteps: 10) }
        let first = try await journal.open(counter(1), stream: "a")
        try await first.dispatch(contentsOf: [0, 1, 1, 1, 1])
        try await first.close()
        let second = try await journal.open(counter(2), stream: "a")
        #expect(second.recovery.baseStep == 5)
        try await second.dispatch(contentsOf: Array(repeating: 1, count: 35))
        try await second.close()
        let reader = try JournalReader(path: path)
        let program = Program(counter(2), environment: (), checksCoding: false)
        let start = try Fold(program, reader, reader.stream("a"), atOrBefore: 0)
        var (plain, whole, listener) = (start, start, start)
        // Both have read some of the next steps.
        _ = try plain.pass(towards: 40)
        for _ in 1...4 {
            _ = try whole.next()
            _ = try listener.nextWithBefore()
        }
        _ = try whole.next()
        let report = try await journal.prune("a", before: 41)
        // The effect needs the first entry: a state can still be computed from there, but not that of the base.
        #expect(report.base > 5 && report.keptEntries == 1)
        for _ in 1...2 {
            #expect(await journalError { try plain.advance(to: 40) }?.code == .noUsableSnapshot)
            #expect(await journalError { _ = try listener.nextWithBefore() }?.code == .noUsableSnapshot)
            // The step of the base is not passed over.
            #expect(plain.step == 4 && listener.step == 4)
        }
        #expect(whole.state == 8)
        try await journal.close()
    }

    @Test func `a verification does not call the records that are gone a divergence`() async throws {
        let journal = try openJournal(path) { $0.snapshots = SnapshotPolicy(everySteps: 100) }
        let store = try await journal.open(counter(1), stream: "a")
        // More than one page of records.
        for _ in 1...6 { try await store.dispatch(contentsOf: [1] + Array(repeating: -1, count: 199)) }
        try await store.close()
        let replayer = try Replayer(counter(1), reader: JournalReader(path: path), stream: "a")
        let error = try await onThread { () -> JournalError? in
            do {
                _ = try replayer.verify { step, _ in
                    guard step == 400 else { return }
                    let pruned = DispatchSemaphore(value: 0)
                    Task {
                        _ = try? await journal.prune("a", before: 1_201)
                        pruned.signal()
                    }
                    pruned.wait()
                }
                return nil
            } catch { return error as? JournalError }
        }
        #expect(error?.code == .noUsableSnapshot)
        #expect(error?.message.hasPrefix("The entries up to step") == true)
        #expect(try replayer.verify().isFaithful)
        try await journal.close()
    }
}
