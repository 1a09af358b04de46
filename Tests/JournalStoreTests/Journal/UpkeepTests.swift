import Foundation
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Upkeep` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Twenty steps, all settled; snapshots after 10 and 20; an effect of step 3 that remembers a step.
    private func journal(status: EffectRun.Status = .completed) async throws -> (Journal, JournalStream) {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...20).map { "\($0)" })
        var batch = Batch()
        batch.steps = [StepRecord(stream: stream.id, step: 3, effects: #"["charge"]"#)]
        batch.runs = [EffectRun(stream: stream.id, step: 3, ordinal: 0, rootStep: 3, name: "charge", status: status)]
        batch.remembered = [
            RememberedStep(stream: stream.id, step: 3, ordinal: 0, path: "", name: "x", use: 1, result: "1")
        ]
        batch.settled = [stream.id: 20]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("ten", at: 10)
        try await stream.saveSnapshot("twenty", at: 20)
        return (journal, stream)
    }

    /// Twenty steps, a second apart.
    private func timed() async throws -> (Journal, JournalStream) {
        let seconds = Box<Int64>(0)
        let journal = try openJournal(path) {
            $0.wallClock = {
                seconds.change {
                    $0 += 1
                    return Timestamp(microseconds: $0 * 1_000_000)
                }
            }
        }
        let stream = try await journal.openStream("a", machine: "m")
        for number in 1...20 {
            // The last action of effect 7.0 is the step after the base.
            let cause = number == 11 ? Cause(step: 7, run: 0) : nil
            let entry = NewEntry(
                stream: stream.id, action: "\(number)", origin: cause == nil ? .dispatched : .effect, cause: cause)
            _ = try await journal.commit(Batch(entries: [entry]))
        }
        var batch = Batch()
        batch.settled = [stream.id: 20]
        _ = try await journal.commit(batch)
        for step in [10, 20] { try await stream.saveSnapshot("\(step)", at: step) }
        return (journal, stream)
    }

    // MARK: Verification

    @Test func `verification of a sound journal finds no problem, open or closed`() async throws {
        let (journal, _) = try await journal()
        let report = try await journal.verify()
        #expect(report.problems.isEmpty)
        #expect(report.streams == 1)
        #expect(report.entries == 20)
        #expect(report.snapshots == 2)
        try await journal.close()
        #expect(try JournalReader(path: path).verify() == report)
    }

    @Test(arguments: Harm.all) func `verification finds the damage and its step`(_ harm: Harm) async throws {
        try await journal().0.close()
        try Shell(path)(harm.sql)
        #expect(try !JournalReader(path: path).verify().isSound)
        if harm.isRenewable { try RowDigests.renew(at: path) }
        let report = try JournalReader(path: path).verify()
        let problem = report.problems.first { $0.message.contains(harm.finds) }
        #expect(problem != nil, "\(report.problems)")
        #expect(problem?.step == harm.step)
        if harm.step != nil { #expect(problem?.stream != nil) }
    }

    /// What is left of the others has nothing that tells of a stream that is not there.
    @Test func `verification notices a stream that was removed, or replaced by an older copy`() async throws {
        let (journal, _) = try await journal()
        let other = try await journal.openStream("b", machine: "m")
        try await other.append(contentsOf: ["1", "2"])
        let older = folder.path("older.db")
        try await journal.backup(to: older)
        try await other.append("3")
        try await journal.openStream("a", machine: "m").append("21")
        try await journal.close()
        func problems(_ sql: String) throws -> [String] {
            let copy = folder.path("copy.db")
            try? FileManager.default.removeItem(atPath: copy)
            try FileManager.default.copyItem(atPath: path, toPath: copy)
            try Shell(copy)(sql)
            return try JournalReader(path: copy).verify().problems.map(\.message)
        }
        let removal =
            "DELETE FROM entry WHERE stream = 2; DELETE FROM seed WHERE stream = 2; DELETE FROM stream WHERE id = 2;"
        #expect(
            try problems(removal) == [
                "the streams lack 3 entries: a stream was removed, or replaced by an older copy of it"
            ])
        let replacement = ["entry", "seed", "stream"].map {
            "INSERT INTO \($0) SELECT * FROM older.\($0) WHERE \($0 == "stream" ? "id" : "stream") = 2;"
        }
        #expect(
            try problems("ATTACH '\(older)' AS older; \(removal) \(replacement.joined())") == [
                "the streams lack 1 entry: a stream was removed, or replaced by an older copy of it"
            ])
        let added =
            "INSERT INTO stream SELECT 9, 'c', machine, created, seed, 1, head_digest, 0, 0, begun, crash_loop, "
            + "last_transaction, records_digest, live_digest, row_digest FROM stream WHERE id = 2;"
        #expect(try !problems(added).isEmpty)
        #expect(try problems("") == [])
    }

    @Test func `a table and an index of somebody else are no damage, and a backup has them too`() async throws {
        try await journal().0.close()
        try Shell(path)("CREATE TABLE mine (x); CREATE INDEX also_mine ON entry (time)")
        #expect(try JournalReader(path: path).verify().isSound)
        try await JournalReader(path: path).backup(to: folder.path("copy.db"))
        let copy = try Journal(path: folder.path("copy.db"))
        #expect(try await copy.verify().isSound)
        try await copy.close()
        #expect(try Shell(folder.path("copy.db"))("SELECT count(*) FROM mine") == ["0"])
    }

    @Test func `references between tables of somebody else are not checked`() async throws {
        try await journal().0.close()
        // There is no such customer, and the number of a customer is no key, so that SQLite cannot check the reference.
        try Shell(path)(
            """
            CREATE TABLE customer (nr); CREATE TABLE note (ref REFERENCES customer (nr)); INSERT INTO note VALUES (7)
            """)
        #expect(try JournalReader(path: path).verify().isSound)
        try await JournalReader(path: path).backup(to: folder.path("copy.db"))
        #expect(try Shell(folder.path("copy.db"))("SELECT ref FROM note") == ["7"])
    }

    @Test func `one damaged entry results in one problem`() async throws {
        try await journal().0.close()
        try Shell(path)("UPDATE entry SET action = '99' WHERE step = 4")
        #expect(try JournalReader(path: path).verify().problems.map(\.step) == [4])
    }

    @Test func `close leaves an empty WAL, although an opening that was given up holds a transaction`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        let reader = journal.reader.pinned()
        #expect(try reader.entries(in: "a").count == 1)
        try await stream.append("2")
        try await journal.close()
        #expect(Platform.status(ofPath: path + "-wal")?.size == 0)
        // A later read begins another transaction.
        #expect(try reader.entries(in: "a").count == 2)
        reader.unpin()
    }

    // MARK: Backup

    @Test func `a backup of a journal in use is a complete journal`() async throws {
        let (journal, stream) = try await journal()
        let writing = Task {
            var count = 0
            while !Task.isCancelled {
                try await stream.append("\(count)")
                count += 1
            }
            return count
        }
        let backup = folder.path("backup.db")
        try await journal.backup(to: backup)
        writing.cancel()
        _ = try await writing.value

        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasPrefix("backup") } == [
                "backup.db"
            ])
        let reader = try JournalReader(path: backup)
        #expect(try reader.verify().isSound)
        #expect(try reader.stream("a").headStep >= 20)
        #expect(try Shell(backup, readOnly: true)("PRAGMA application_id") == ["\(0x4A53_746F)"])
        // It can be written beside the original, which is still open.
        let copy = try Journal(path: backup)
        let copied = try await copy.openStream("a", machine: "m")
        let head = try reader.stream("a").headStep
        #expect(try await copied.append("in the copy").step == head + 1)
        #expect(try await copy.verify().isSound)
    }

    @Test func `a backup of a damaged journal is refused and leaves no file`() async throws {
        try await journal().0.close()
        try Shell(path)("UPDATE entry SET action = '7' WHERE step = 5")
        let before = try FileManager.default.contentsOfDirectory(atPath: folder.path(""))
        let error = await journalError { try await JournalReader(path: path).backup(to: folder.path("copy.db")) }
        #expect(error?.code == .copyNotVerified)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path("")).sorted() == before.sorted())
    }

    @Test func `an opening refuses a damaged number of the last opening`() async throws {
        try await journal().0.close()
        try Shell(path)("UPDATE opening SET number = 9223372036854775807")
        try RowDigests.renew(at: path)
        #expect(await journalError { try Journal(path: path) }?.code == .corrupt)
        #expect(try !JournalReader(path: path).verify().isSound)
    }

    @Test func `a backup overwrites no file and leaves no partial file`() async throws {
        let (journal, _) = try await journal()
        let taken = folder.path("taken")
        try Data("mine".utf8).write(to: URL(fileURLWithPath: taken))
        #expect(await journalError { try await journal.backup(to: taken) }?.code == .destinationExists)
        #expect(try bytes(taken) == Data("mine".utf8))
        #expect(await journalError { try await journal.backup(to: path) }?.code == .destinationExists)
        #expect(await journalError { try await journal.backup(to: folder.path("none/b.db")) }?.code == .cannotOpen)
        // A backup of a damaged journal fails.
        try Shell(path)("UPDATE entry SET action = '99' WHERE step = 4")
        #expect(await journalError { try await journal.backup(to: folder.path("b.db")) }?.code == .copyNotVerified)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).allSatisfy { !$0.hasPrefix("b.db") })
    }

    @Test func `a journal in memory can be backed up to a file`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        try await journal.backup(to: path)
        #expect(try Journal(path: path).reader.entries(in: "a").map(\.action) == ["1"])
    }

    @Test func `an older copy in the journal's place is refused unless lost entries are accepted`() async throws {
        let (journal, stream) = try await journal()
        let backup = folder.path("backup.db")
        try await journal.backup(to: backup)
        try await stream.append("21")
        try await journal.close()
        try FileManager.default.removeItem(atPath: path)
        try FileManager.default.moveItem(atPath: backup, toPath: path)

        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.message.contains("ends at position 20") == true)
        #expect(error?.message.contains("remembers 21") == true)
        let notices = Box<[Notice]>([])
        let restored = try openJournal(path) {
            $0.lostEntries = .accept
            $0.report = { notice in notices.change { $0.append(notice) } }
        }
        #expect(notices.value.map(\.kind) == [.entriesLost])
        try await restored.close()
        // From then on it opens without the option.
        _ = try Journal(path: path)
    }

    @Test func `a new journal in place of a deleted one is refused while the lock file remains`() async throws {
        try await journal().0.close()
        for suffix in ["", "-wal", "-shm"] { try FileManager.default.removeItem(atPath: path + suffix) }
        let error = await journalError { try Journal(path: path) }
        #expect(error?.code == .acknowledgedEntriesLost)
        #expect(error?.message.contains("not the journal that was here before") == true)
        // The opening has created nothing that a reader would take for a journal without entries.
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(await journalError { try JournalReader(path: path) }?.code == .cannotOpen)
        try FileManager.default.removeItem(atPath: path + "-lock")
        _ = try Journal(path: path)
    }

    // MARK: Pruning

    @Test func `pruning leaves a verified base and the entries after it`() async throws {
        let (journal, stream) = try await journal()
        let report = try await journal.prune("a", before: 15)
        #expect(report == PruneReport(base: 10, removedEntries: 10, keptEntries: 0))
        #expect(try journal.reader.entries(in: "a").map(\.step) == Array(11...20))
        #expect(try journal.reader.snapshot(in: "a", atOrBefore: 10)?.isBase == true)
        #expect(try journal.reader.stream("a").prunedStep == 10)
        #expect(try journal.reader.effectRuns(in: "a").isEmpty)
        #expect(try await journal.verify().problems.isEmpty)
        #expect(try await stream.append("21").step == 21)

        // Pruning again or further is allowed; pruning to an earlier step does nothing.
        #expect(try await journal.prune("a", before: 12).removedEntries == 0)
        #expect(try await journal.prune("a", before: 21).base == 20)
        #expect(try await journal.prune("a", before: 15) == PruneReport(base: 20, removedEntries: 0, keptEntries: 0))
        #expect(try journal.reader.entries(in: "a").map(\.step) == [21])
        #expect(try await journal.verify().problems.isEmpty)
        try await journal.close()
        let reopened = try Journal(path: path)
        #expect(try await reopened.openStream("a", machine: "m").append("22").step == 22)
        #expect(try await reopened.verify().problems.isEmpty)
    }

    @Test func `pruning removes damaged snapshots before its base, and if damage is accepted also an old base`()
        async throws
    {
        let (journal, stream) = try await journal()
        try await stream.saveSnapshot("two", at: 2)
        let shell = try Shell(path)
        try shell("UPDATE snapshot SET time = time + 1 WHERE step = 2")
        #expect(try await journal.verify().problems.count == 1)
        #expect(try await journal.prune("a", before: 15).base == 10)
        #expect(try await journal.verify().problems.isEmpty)
        try shell("UPDATE snapshot SET time = time + 1 WHERE step = 10")
        try await stream.append("21")
        #expect(try await journal.prune("a", before: 21, acceptingDamage: true).base == 20)
        #expect(try await journal.verify().problems.isEmpty)
        #expect(try journal.reader.snapshotSteps(in: "a") == [20])
        try await journal.close()
    }

    @Test func `pruning keeps what a live run needs until it has ended`() async throws {
        let (journal, stream) = try await journal(status: .running)
        try await stream.saveSnapshot("two", at: 2)
        let report = try await journal.prune("a", before: 15)
        // Kept are the state before step 3, and its entry.
        #expect(report == PruneReport(base: 10, removedEntries: 9, keptEntries: 1))
        #expect(try journal.reader.entries(in: "a").map(\.step) == [3] + Array(11...20))
        #expect(try journal.reader.snapshotSteps(in: "a") == [2, 10, 20])
        #expect(try journal.reader.effectRuns(in: "a").map(\.step) == [3])
        #expect(try await journal.verify().problems.isEmpty)
        // Retention keeps the snapshot before the kept entry.
        for step in 11...19 { try await stream.saveSnapshot("\(step)", at: step) }
        #expect(try journal.reader.snapshotSteps(in: "a").contains(2))
        #expect(try await journal.verify().problems.isEmpty)

        var batch = Batch()
        batch.runs = [
            EffectRun(stream: stream.id, step: 3, ordinal: 0, rootStep: 3, name: "charge", status: .completed)
        ]
        _ = try await journal.commit(batch)
        // A step up to the base is one that must stay.
        for step in [3, 10] {
            let nothing = PruneReport(base: 10, removedEntries: 0, keptEntries: 0)
            #expect(try journal.reader.prunePlan(in: "a", before: step) == nothing)
            #expect(try await journal.prune("a", before: step) == nothing)
        }
        #expect(try journal.reader.entries(in: "a").map(\.step) == [3] + Array(11...20))
        #expect(try await journal.prune("a", before: 11).removedEntries == 1)
        #expect(try journal.reader.snapshotSteps(in: "a").first == 10)
        #expect(try await journal.verify().problems.isEmpty)
    }

    @Test func `pruning keeps all entries up to a live run without a snapshot before it`() async throws {
        let (journal, _) = try await journal(status: .asked)
        #expect(try await journal.prune("a", before: 15).keptEntries == 3)
        #expect(try journal.reader.entries(in: "a").map(\.step) == [1, 2, 3] + Array(11...20))
        #expect(try await journal.verify().problems.isEmpty)
    }

    @Test func `pruning changes nothing if it can remove no entry`() async throws {
        let (journal, stream) = try await journal(status: .running)
        try await stream.saveSnapshot("three", at: 3)
        func rows() throws -> [String] { try journal.reader.lines().filter { !$0.hasPrefix("opening|") } }
        let before = try rows()
        let nothing = PruneReport(base: 3, removedEntries: 0, keptEntries: 3)
        #expect(try journal.reader.prunePlan(in: "a", before: 10) == nothing)
        #expect(try await journal.prune("a", before: 10) == nothing)
        #expect(try rows() == before)
        #expect(try journal.reader.stream("a").prunedStep == 0)
        try await journal.reader.fork("a", at: 2, to: folder.path("fork.db"))

        // The same after a pruning that has removed entries.
        try await journal.prune("a", before: 15)
        let pruned = try rows()
        for step in [4, 15] { #expect(try await journal.prune("a", before: step).removedEntries == 0) }
        #expect(try rows() == pruned)
        #expect(try await journal.verify().problems.isEmpty)
    }

    @Test func `pruning keeps no entry for a described effect`() async throws {
        let (journal, stream) = try await journal()
        var batch = Batch()
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 4, ordinal: 0, rootStep: 4, name: "timer", status: .delayed,
                described: #"{"at":1}"#)
        ]
        _ = try await journal.commit(batch)
        #expect(try await journal.prune("a", before: 15).keptEntries == 0)
        #expect(try journal.reader.effectRuns(in: "a").map(\.name) == ["timer"])
        #expect(try await journal.verify().problems.isEmpty)
    }

    @Test func `pruning keeps the records of effects that ended after its base, until another pruning`() async throws {
        let (journal, stream) = try await timed()
        let times = try journal.reader.entries(in: "a").map(\.time)
        func run(_ step: Int, _ name: String, ended: Int, described: String? = nil) -> EffectRun {
            EffectRun(
                stream: stream.id, step: step, ordinal: 0, rootStep: step, name: name, status: .failed, attempts: 1,
                started: times[step - 1], ended: times[ended - 1], described: described)
        }
        var batch = Batch()
        batch.runs = [
            run(4, "early", ended: 10), run(5, "late", ended: 12), run(6, "told", ended: 11, described: #"{"at":1}"#),
            // Its end was noted when it submitted its action.
            run(7, "sent", ended: 10, described: #"{"at":2}"#),
        ]
        _ = try await journal.commit(batch)
        #expect(try await journal.prune("a", before: 15).base == 10)
        #expect(try journal.reader.effectRuns(in: "a").map(\.name) == ["late", "told", "sent"])
        #expect(try await journal.verify().problems.isEmpty)
        // At step 10 both were live, and what "late" did is found only by reducing step 5. At step 11 only "late" was.
        for step in [10, 11] {
            let error = await journalError { try await journal.reader.fork("a", at: step, to: folder.path("no.db")) }
            #expect(error?.code == .noUsableSnapshot)
            #expect(
                error?.message.contains("'late' (5.0) had not ended at this step, and its entry was pruned") == true)
        }
        try await journal.reader.fork("a", at: 12, to: folder.path("fork.db"))
        // The same for a retry.
        try await stream.append("21")
        try await stream.close()
        let error = await journalError { try await journal.retry(RunKey(step: 5, ordinal: 0), in: "a") }
        #expect(error?.code == .noUsableSnapshot)
        #expect(try await journal.prune("a", before: 21).base == 20)
        #expect(try journal.reader.effectRuns(in: "a").isEmpty)
        #expect(try await journal.verify().problems.isEmpty)
    }

    @Test func `a fork of a pruned stream asks about a described effect that ended after its step`() async throws {
        let (journal, stream) = try await timed()
        var batch = Batch()
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 6, ordinal: 0, rootStep: 6, name: "told", status: .completed, attempts: 1,
                ended: try journal.reader.entries(in: "a")[10].time, described: #"{"at":1}"#)
        ]
        _ = try await journal.commit(batch)
        try await journal.prune("a", before: 15)
        let fork = folder.path("fork.db")
        try await journal.reader.fork("a", at: 10, to: fork)
        #expect(try JournalReader(path: fork).effectRuns(in: "a").map(\.status) == [.asked])
    }

    @Test func `pruning before a step after the end removes as much as can be`() async throws {
        for step in [21, 1_000_000, Int.max] {
            let folder = try TemporaryFolder()
            let journal = try openJournal(folder.path("a.db"))
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append(contentsOf: (1...20).map { "\($0)" })
            for snapshot in [10, 20] { try await stream.saveSnapshot("{}", at: snapshot) }
            var batch = Batch()
            batch.settled = [stream.id: 20]
            _ = try await journal.commit(batch)
            #expect(try journal.reader.prunePlan(in: "a", before: step).removedEntries == 10)
            let report = try await journal.prune("a", before: step)
            #expect(report == PruneReport(base: 10, removedEntries: 10, keptEntries: 0))
            #expect(try journal.reader.entries(in: "a").map(\.step) == Array(11...20))
            try await journal.close()
        }
    }

    @Test func `pruning throws if the stream, a step or a usable snapshot is missing`() async throws {
        let (journal, stream) = try await journal()
        #expect(await journalError { try await journal.prune("b", before: 1) }?.code == .unknownStream)
        _ = try await journal.openStream("empty", machine: "m")
        #expect(await journalError { try await journal.prune("empty", before: 1) }?.code == .noSuchStep)
        #expect(await journalError { try await journal.prune("a", before: 10) }?.code == .noUsableSnapshot)
        // Unsettled steps are not removed, whatever snapshots there are.
        let other = try await journal.openStream("b", machine: "m")
        try await other.append(contentsOf: ["1", "2", "3"])
        try await other.saveSnapshot("{}", at: 2)
        let error = await journalError { try await journal.prune("b", before: 3) }
        #expect(error?.code == .noUsableSnapshot)
        #expect(error?.message.contains("settled up to step 0") == true)
        // A snapshot with the digest of another history is not usable.
        try Shell(path).change(
            "UPDATE snapshot SET digest = zeroblob(16) WHERE step = 10 AND stream = \(stream.id.rawValue)")
        #expect(await journalError { try await journal.prune("a", before: 15) }?.code == .noUsableSnapshot)
        #expect(try journal.reader.entries(in: "a").count == 20)
    }

    // MARK: Sizes

    @Test func `statistics have the sizes, the counts and the writer`() async throws {
        let (journal, _) = try await journal(status: .running)
        let statistics = try JournalReader(path: path).statistics()
        #expect(
            statistics.counts
                == JournalStatistics.Counts(streams: 1, entries: 20, snapshots: 2, liveRuns: 1, failedRuns: 0))
        #expect(statistics.schemaVersion == JournalReader.schemaVersion)
        #expect(statistics.walBytes > 0)
        #expect(statistics.writer?.process == Int(getpid()))
        #expect(statistics.writer?.description.hasPrefix("process \(getpid()) on ") == true)
        try await journal.close()
        #expect(try JournalReader(path: path).statistics().writer == nil)
        #expect(try JournalReader(path: path).statistics().walBytes == 0)
    }

    @Test(arguments: [EffectRun.Status.failed, .running, .completed])
    func `live and failed effects are counted, and found by their status`(_ status: EffectRun.Status) async throws {
        let (journal, _) = try await journal(status: status)
        let counts = try journal.reader.statistics().counts
        #expect(counts.failedRuns == (status == .failed ? 1 : 0))
        #expect(counts.liveRuns == (status == .running ? 1 : 0))
        for each in [EffectRun.Status.failed, .running, .completed, .delayed] {
            let found = try journal.reader.effectRuns(in: "a", status: each).map(\.step)
            #expect(found == (each == status ? [3] : []))
        }
        try await journal.close()
    }
}
