import Testing
import TortureKit

@testable import JournalStore

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
                == "Make a new property optional, give it a default in `init(from:)`, or add `upcasting(statesFrom: 1)` to the machine."
        )
        let older = try #require(notices.value.last?.error)
        #expect(
            older.message
                == "The new version has reduced 2 steps of an older one, because it cannot read the snapshots after them."
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
