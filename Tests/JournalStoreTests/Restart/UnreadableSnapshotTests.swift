import Testing
import TortureKit

@testable import JournalStore

private enum Act: Codable, Sendable, Equatable { case add, hold }

/// A machine with an effect that does not end. Version 3 has no upcaster for states of version 1.
private func holding(_ version: Int) -> Machine<Act, Int, Void> {
    let machine = Machine<Act, Int, Void>("holding", version: version, initialState: 0) { action, count, _ in
        count += 1
        guard action == .hold else { return .none }
        return .run("hold") {
            try await forever()
            return nil
        }
    }
    switch version {
    case 1: return machine
    case 2: return machine.unchanged(since: 1)
    default:
        return
            machine
            .upcasting(actionTextsFrom: 1) { $0 }
            .upcasting(actionTextsFrom: 2) { $0 }
            .upcasting(statesFrom: 2) { (old: Int) in old }
    }
}

@Suite struct `Snapshots that a new version cannot read`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    /// Makes a journal whose streams have two steps and a snapshot of each.
    private func live(_ streams: [String]) async throws { try await keepTally(in: openJournal(path), streams) }

    private func openNoticing() throws -> (journal: Journal, notices: Box<[Notice]>) {
        let notices = Box<[Notice]>([])
        return (try openJournal(path) { $0.report = { notice in notices.change { $0.append(notice) } } }, notices)
    }

    @Test func `an opening reports them once, with the reason and what to change`() async throws {
        try await live(["a"])
        let (journal, notices) = try openNoticing()
        let store = try await journal.open(cappedTally, stream: "a")
        #expect(store.state == CappedTally(count: 2))
        #expect(store.recovery.skippedSnapshots.map(\.step) == [2, 1])
        #expect(notices.value.map(\.kind) == [.snapshotSkipped, .olderSteps])
        let skipped = try #require(notices.value.first?.error)
        #expect((skipped.stream, skipped.step, skipped.code) == ("a", 2, .notDecodable))
        #expect(
            skipped.message
                == "The state of version 1 cannot be decoded: no 'cap'. So this snapshot and an older one did not count, and the "
                + "steps were reduced from the beginning.")
        #expect(
            skipped.advice
                == "Make a new property optional, give it a default in `init(from:)`, or add `renamingProperty` or `upcasting(statesFrom: 1)` to the machine."
        )
        let older = try #require(notices.value.last?.error)
        #expect(
            older.message
                == "The new version has reduced 2 steps of an older version, because it cannot read the later snapshots."
        )
        #expect(older.advice.contains("`snapshot-skipped`"))
        try await journal.close()
    }

    @Test func `a host reports them once for all its streams`() async throws {
        try await live(["a", "b"])
        let (journal, notices) = try openNoticing()
        let host = try journal.host(cappedTally)
        for name in ["a", "b"] { #expect(try await host.state(of: name).count == 2) }
        #expect(notices.value.map(\.kind) == [.snapshotSkipped, .olderSteps])
        try await journal.close()
    }

    @Test
    func `a pruning keeps the entries that lead to a live effect if the snapshot after them is of an older version`()
        async throws
    {
        let (journal, _) = try await prunedBesideLiveEffect()
        #expect(try journal.reader.entries(in: "a").map(\.step) == [1, 2, 3, 4, 7, 8])
        let third = try await journal.open(holding(3), stream: "a")
        #expect(third.state == 8)
        #expect(try await third.liveRuns().map(\.key) == [RunKey(step: 4)])
        try await journal.close()
    }

    /// A journal whose fourth step has a live effect, with a snapshot of version 1 before it and a base of version 2.
    private func prunedBesideLiveEffect() async throws -> (Journal, PruneReport) {
        let journal = try openJournal(path)
        var store = try await journal.open(holding(1), stream: "a")
        for _ in 1...3 { try await store.dispatch(.add) }
        try await store.close()
        store = try await journal.open(holding(1), stream: "a")
        for action in [Act.hold, .add, .add] { try await store.dispatch(action) }
        try await store.close()
        store = try await journal.open(holding(2), stream: "a")
        for _ in 1...2 { try await store.dispatch(.add) }
        try await store.close()
        return (journal, try await journal.prune("a", before: 8))
    }

    /// Version 0.1.0 pruned the entries before the effect as well, so its step can only be reduced from that snapshot.
    @Test func `if a live effect needs one, the error names the effect, the reason, and how to cancel the effect`()
        async throws
    {
        let (journal, report) = try await prunedBesideLiveEffect()
        #expect(report.keptEntries == 4)
        #expect(try journal.reader.snapshotSteps(in: "a") == [3, 6, 8])
        try Shell(path)("DELETE FROM entry WHERE step <= 3")

        let error = await journalError { try await journal.open(holding(3), stream: "a") }
        #expect(error?.code == .noUsableSnapshot)
        #expect(
            error?.message
                == "The entries up to step 6 were pruned; no snapshot is usable. That of step 3: The state was written by version 1 "
                + "of the machine, and there is no upcaster from version 1. The effect 'hold' (4.0), which has not ended, can only be "
                + "found from there.")
        #expect(error?.advice.hasPrefix("Add `upcasting(statesFrom: 1)`") == true)
        #expect(error?.advice.contains("Or cancel it: `journal-replay cancel ") == true)
        try await journal.cancel(RunKey(step: 4), in: "a")
        let third = try await journal.open(holding(3), stream: "a")
        #expect(third.state == 8)
        try await journal.close()
    }

    @Test func `only an upcaster that changes states is to be corrected`() {
        let wrong = cappedTally.upcasting(statesFrom: 1) { (old: Tally) in old }
        let machines = [
            (cappedTally, "Make a new property optional"),
            (cappedTally.renamingAction("old", to: "new", from: 1), "Make a new property optional"),
            (wrong, "The upcasters from version 1 on were applied"),
        ]
        for (machine, advice) in machines {
            let program = Program(machine, environment: (), checksCoding: false)
            let error = #expect(throws: JournalError.self) {
                try program.state(#"{"count":1}"#, version: 1, ErrorLocation(file: nil, stream: "a"))
            }
            #expect(error?.advice.hasPrefix(advice) == true)
        }
    }
}
