import Testing
import TortureKit

@testable import JournalStore

/// A pruning of more steps than one transaction removes.
@Suite struct `A long pruning` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Sixty settled steps with a snapshot at each fifth, a live effect of step 13, and an ended one of step 33.
    ///
    /// - Parameters:
    ///   - length: how many steps a transaction may remove.
    ///   - committed: called after each transaction.
    private func journal(
        _ path: String, _ length: Int, committed: @escaping @Sendable () -> Void = {}
    ) async throws -> Journal {
        let journal = try openJournal(path) {
            $0.stepsPerPruning = length
            $0.retention = Retention(last: 100)
            // Journals with the same contents are equal row by row.
            $0.wallClock = { Timestamp(microseconds: 1_700_000_000_000_000) }
            $0.streamSeed = { Array(repeating: 7, count: 16) }
            $0.probe = { if $0 == .committed { committed() } }
        }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...60).map { "\($0)" })
        var batch = Batch()
        batch.runs = [(13, EffectRun.Status.running), (33, .completed)].map { step, status in
            EffectRun(stream: stream.id, step: step, ordinal: 0, rootStep: step, name: "charge", status: status)
        }
        batch.settled = [stream.id: 60]
        _ = try await journal.commit(batch)
        for step in stride(from: 5, through: 60, by: 5) { try await stream.saveSnapshot("\(step)", at: step) }
        return journal
    }

    /// All rows but those that differ between two files with the same contents.
    private func rows(_ reader: JournalReader) throws -> [String] {
        try reader.lines().filter { !$0.hasPrefix("writer|") && !$0.hasPrefix("opening|") }
    }

    /// The pruned step and the head after each transaction, from when it is switched on.
    private final class Notes: Sendable {
        let lines = Box<[String]>([])
        let isOn = Box(false)
        private let path: String

        init(_ path: String) { self.path = path }

        func note() {
            guard isOn.value else { return }
            let place = try? Shell(path, readOnly: true)("SELECT pruned_step, head_step FROM stream")
            lines.change { $0 += place ?? ["unreadable"] }
        }
    }

    @Test func `it takes several transactions, and leaves the same as a single one`() async throws {
        let notes = Notes(path)
        let journal = try await journal(path, 20) { notes.note() }
        let single = try await self.journal(folder.path("single.db"), 1_000)
        notes.isOn.change { $0 = true }
        let report = try await journal.prune("a", before: 51)
        #expect(notes.lines.value == ["20|60", "40|60", "50|60"])
        #expect(report == PruneReport(base: 50, removedEntries: 47, keptEntries: 3))
        #expect(try await single.prune("a", before: 51) == report)
        #expect(try rows(journal.reader) == rows(single.reader))
        #expect(try await journal.verify().isSound)
    }

    @Test func `an error about a pruned step on the way to one that was not pruned names the former`() async throws {
        let journal = try await journal(path, 1_000)
        try await journal.prune("a", before: 51)
        let reader = journal.reader
        for (asked, named) in [(55, 40), (45, 45)] {
            let error = await journalError {
                try reader.checkWasNotPruned(40, of: try reader.stream("a"), asked: asked)
            }
            #expect(error?.code == .noUsableSnapshot && error?.step == named)
        }
        try await journal.close()
    }

    @Test func `the journal is sound whenever the process ends, and another pruning goes on`() async throws {
        let (folder, path, copies, isOn) = (folder, path, Box<[String]>([]), Box(false))
        @Sendable func copy() {
            guard isOn.value else { return }
            copies.change { copies in
                copies.append(folder.path("copy-\(copies.count).db"))
                _ = try? Shell(path, readOnly: true)("VACUUM INTO '\(copies[copies.count - 1])'")
            }
        }
        let journal = try await journal(path, 20, committed: copy)
        isOn.change { $0 = true }
        // Before the first transaction.
        copy()
        try await journal.prune("a", before: 51)
        isOn.change { $0 = false }
        let rest = try rows(journal.reader)
        try #require(copies.value.count == 4)
        for (copy, pruned) in zip(copies.value, [0, 20, 40, 50]) {
            let left = try openJournal(copy) { $0.retention = Retention(last: 100) }
            #expect(try await left.verify().problems == [])
            #expect(try left.reader.stream("a").prunedStep == pruned)
            let base = try left.reader.snapshot(in: "a", atOrBefore: pruned)
            #expect(pruned == 0 ? base == nil : base?.isBase == true)
            // The entries after the base, and those that the live effect needs.
            let needed = pruned == 0 ? [] : [11, 12, 13]
            #expect(try left.reader.entries(in: "a").map(\.step) == needed + Array(pruned + 1...60))
            let report = try await left.prune("a", before: 51)
            #expect(report.base == 50 && report.keptEntries == 3)
            #expect(try rows(left.reader) == rest)
            #expect(try await left.openStream("a", machine: "m").append("61").step == 61)
            #expect(try await left.verify().problems == [])
            try await left.close()
        }
    }

    /// What is wrong with the snapshot of step 20.
    enum Flaw: String, CaseIterable {
        case state = "UPDATE snapshot SET state = 'x' WHERE step = 20"
        case row = "UPDATE snapshot SET version = 3 WHERE step = 20"
        case otherHistory = "UPDATE snapshot SET digest = zeroblob(16) WHERE step = 20"
        case otherVersion = "UPDATE snapshot SET version = 2 WHERE step = 20"
        case missing = "DELETE FROM snapshot WHERE step = 20"

        /// Whether the digest of the row is right.
        var isWritten: Bool { self == .otherHistory || self == .otherVersion }
    }

    @Test(arguments: Flaw.allCases)
    func `no transaction ends at a snapshot that cannot be the base`(_ flaw: Flaw) async throws {
        let notes = Notes(path)
        let journal = try await journal(path, 20) { notes.note() }
        let shell = try Shell(path)
        if flaw.isWritten { try shell.change(flaw.rawValue) } else { try shell(flaw.rawValue) }
        notes.isOn.change { $0 = true }
        #expect(try await journal.prune("a", before: 51).base == 50)
        #expect(notes.lines.value == ["15|60", "35|60", "50|60"])
    }

    @Test func `without a snapshot within reach, a transaction ends at the next one`() async throws {
        let notes = Notes(path)
        let journal = try await journal(path, 3) { notes.note() }
        try Shell(path)("DELETE FROM snapshot WHERE step < 40 AND step <> 10")
        notes.isOn.change { $0 = true }
        #expect(try await journal.prune("a", before: 51).base == 50)
        // The one of step 10 stays for the live effect, so it is no base.
        #expect(notes.lines.value == ["40|60", "45|60", "50|60"])
    }

    @Test func `others commit between its transactions, and their entries do not move its end`() async throws {
        let notes = Notes(path)
        let opened = Box<Journal?>(nil)
        let appended = Signal()
        let journal = try await journal(path, 20) {
            notes.note()
            guard notes.lines.value.count == 1, let journal = opened.value else { return }
            journal.submit(Batch(entries: [NewEntry(stream: StreamID(rawValue: 1), action: "61")])) { result in
                #expect(throws: Never.self) { try result.get() }
                appended.send()
            }
        }
        let stream = try await journal.openStream("a", machine: "m")
        opened.change { $0 = journal }
        notes.isOn.change { $0 = true }
        let report = try await journal.prune("a", before: .max)
        await appended.wait()
        opened.change { $0 = nil }
        // The last step was 60 when it began.
        #expect(report.base == 55)
        #expect(notes.lines.value == ["20|60", "20|61", "40|61", "55|61"])
        #expect(try await journal.verify().isSound)
        try await stream.close()
    }

    @Test func `only the last transaction removes what effects needed that have ended since`() async throws {
        let opened = Box<Journal?>(nil)
        let journal = try await journal(path, 20) {
            opened.value?.writer.later { $0.retries = [StreamID(rawValue: 1): 1] }
        }
        try await journal.prune("a", before: 21)
        #expect(try journal.reader.entries(in: "a").map(\.step) == [11, 12, 13] + Array(21...60))
        var batch = Batch()
        batch.runs = [
            EffectRun(
                stream: StreamID(rawValue: 1), step: 13, ordinal: 0, rootStep: 13, name: "charge", status: .completed)
        ]
        _ = try await journal.commit(batch)
        // Its second transaction is refused.
        opened.change { $0 = journal }
        #expect(await journalError { try await journal.prune("a", before: 51) }?.code == .busy)
        opened.change { $0 = nil }
        #expect(try journal.reader.entries(in: "a").map(\.step) == [11, 12, 13] + Array(41...60))
        // The entries that are left still follow a snapshot.
        #expect(try journal.reader.snapshotSteps(in: "a") == [10, 40, 45, 50, 55, 60])
        #expect(try await journal.verify().problems == [])
        try await journal.writer.exclusively { $0.retries = [:] }
        let report = try await journal.prune("a", before: 51)
        #expect(report == PruneReport(base: 50, removedEntries: 13, keptEntries: 0))
        #expect(try journal.reader.entries(in: "a").map(\.step) == Array(51...60))
        #expect(try journal.reader.snapshotSteps(in: "a") == [50, 55, 60])
        #expect(try await journal.verify().problems == [])
    }

    @Test func `if one of its transactions is refused, what was removed stays removed`() async throws {
        let opened = Box<Journal?>(nil)
        let journal = try await journal(path, 20) {
            opened.value?.writer.later { $0.retries = [StreamID(rawValue: 1): 1] }
        }
        opened.change { $0 = journal }
        #expect(await journalError { try await journal.prune("a", before: 51) }?.code == .busy)
        opened.change { $0 = nil }
        #expect(try journal.reader.stream("a").prunedStep == 20)
        #expect(try await journal.verify().isSound)
        try await journal.writer.exclusively { $0.retries = [:] }
        #expect(try await journal.prune("a", before: 51).base == 50)
        #expect(try journal.reader.entries(in: "a").map(\.step) == [11, 12, 13] + Array(51...60))
        #expect(try await journal.verify().isSound)
    }
}
