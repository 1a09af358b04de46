import Testing

@testable import JournalStore

@Suite struct `Pure, the loss check` {
    static let journal: [UInt8] = [1, 2, 3]
    static let now = ProcessIdentity(host: "here", process: 2, started: 2, boot: "today")
    static let entry = Digest(of: "acknowledged")

    /// What the sidecar remembers, what the journal contains, and the verdict.
    struct Case: CustomTestStringConvertible {
        var testDescription: String
        /// The acknowledged position; nil if the sidecar remembers none.
        var acknowledged: Int? = 10
        /// The durability of the last writer; nil if no writer is known.
        var durability: Durability? = .full
        var boot = "today"
        var journal = `Pure, the loss check`.journal
        var last: Int
        var digest: Digest? = entry
        var verdict: LossCheck.Verdict
    }

    static let cases: [Case] = [
        Case(testDescription: "nothing is remembered", acknowledged: nil, durability: nil, last: 0, verdict: .complete),
        Case(testDescription: "no entry was acknowledged", acknowledged: nil, last: 3, verdict: .complete),
        Case(testDescription: "complete, and no writer is known", durability: nil, last: 10, verdict: .complete),
        Case(
            testDescription: "entries are missing, and no writer is known", durability: nil, boot: "yesterday", last: 3,
            digest: nil, verdict: .lost(expected: 10, found: 3, excused: false)),
        Case(
            testDescription: "the position has another entry, and no writer is known", durability: nil, last: 12,
            digest: Digest(of: "another"), verdict: .otherHistory(position: 10)),
        Case(testDescription: "the journal is complete", last: 10, verdict: .complete),
        Case(testDescription: "the journal has one more entry", last: 11, verdict: .complete),
        Case(testDescription: "the entry was pruned", last: 11, digest: nil, verdict: .complete),
        Case(testDescription: "complete, after a power loss", boot: "yesterday", last: 10, verdict: .complete),
        Case(
            testDescription: "entries are missing", last: 9, digest: nil,
            verdict: .lost(expected: 10, found: 9, excused: false)),
        Case(
            testDescription: "all entries are missing", last: 0, digest: nil,
            verdict: .lost(expected: 10, found: 0, excused: false)),
        Case(
            testDescription: "FULL, after a power loss", boot: "yesterday", last: 7, digest: nil,
            verdict: .lost(expected: 10, found: 7, excused: false)),
        Case(
            testDescription: "NORMAL, without a power loss", durability: .normal, last: 7, digest: nil,
            verdict: .lost(expected: 10, found: 7, excused: false)),
        Case(
            testDescription: "NORMAL, after a power loss", durability: .normal, boot: "yesterday", last: 7, digest: nil,
            verdict: .lost(expected: 10, found: 7, excused: true)),
        Case(
            testDescription: "NORMAL, and it is not known whether there was a power loss", durability: .normal,
            boot: "", last: 7, digest: nil, verdict: .lost(expected: 10, found: 7, excused: false)),
        Case(
            testDescription: "the position has another entry", last: 10, digest: Digest(of: "another"),
            verdict: .otherHistory(position: 10)),
        Case(
            testDescription: "the position has another entry, more follow", durability: .normal, boot: "yesterday",
            last: 20, digest: Digest(of: "another"), verdict: .otherHistory(position: 10)),
        Case(
            testDescription: "the file is another journal", journal: [9], last: 10,
            verdict: .otherJournal(entries: 10)),
        Case(
            testDescription: "the file is no journal", durability: .normal, boot: "yesterday", journal: [], last: 0,
            digest: nil, verdict: .otherJournal(entries: 10)),
    ]

    @Test(arguments: cases) func `the loss check compares the journal with what the sidecar remembers`(_ test: Case) {
        let holder = test.durability.map { durability in
            Holder(
                identity: ProcessIdentity(host: "here", process: 1, started: 1, boot: test.boot),
                since: Timestamp(microseconds: 0), journal: Self.journal, database: FileIdentity(device: 1, inode: 1),
                durability: durability)
        }
        let verdict = LossCheck.judge(
            test.acknowledged.map { Acknowledged(position: $0, digest: Self.entry) }, by: holder, now: Self.now,
            found: LossCheck.JournalEnd(journal: test.journal, lastPosition: test.last, digest: test.digest))
        #expect(verdict == test.verdict)
    }

    // MARK: Messages

    @Test func `a complete journal gives no error`() {
        #expect(LossCheck.error(.complete, file: "/j.db") == nil)
    }

    private static let accept =
        "restore a backup (move the file, its -wal, its -shm and its -lock away first), or open it with `lostEntries = .accept`."

    @Test(
        arguments: [
            (
                .lost(expected: 10, found: 7, excused: false),
                "3 acknowledged entries are missing: the file ends at position 7, /j.db-lock remembers 10.",
                "The WAL was damaged, or an older copy was put here: " + accept
            ),
            (
                .lost(expected: 10, found: 9, excused: false),
                "1 acknowledged entry is missing: the file ends at position 9, /j.db-lock remembers 10.",
                "The WAL was damaged, or an older copy was put here: " + accept
            ),
            (
                .lost(expected: 10, found: 8, excused: true),
                "2 acknowledged entries are missing: the file ends at position 8, /j.db-lock remembers 10.",
                "The machine was restarted and the journal was written with NORMAL durability, which allows this."
            ),
            (
                .otherHistory(position: 10), "The entry at position 10 is not the one that was acknowledged there.",
                "Another copy of this journal was put here: " + accept
            ),
            (
                .otherJournal(entries: 10),
                "This is not the journal that was here before: /j.db-lock remembers one with 10 entries.",
                "If that one was removed on purpose, remove /j.db-lock as well; otherwise " + accept
            ),
            (
                .otherJournal(entries: 1),
                "This is not the journal that was here before: /j.db-lock remembers one with 1 entry.",
                "If that one was removed on purpose, remove /j.db-lock as well; otherwise " + accept
            ),
        ] as [(LossCheck.Verdict, String, String)])
    func `the error of a loss names the positions, the lock file and the remedies`(
        _ verdict: LossCheck.Verdict, _ message: String, _ advice: String
    ) {
        #expect(
            LossCheck.error(verdict, file: "/j.db")
                == JournalError(.acknowledgedEntriesLost, message, advice: advice, file: "/j.db"))
    }
}
