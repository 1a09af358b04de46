import Testing
import TortureKit

@testable import JournalStore

/// Law 5: damage is noticed. A pruning would remove what shows it.
@Suite struct `A pruning that would remove damage` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Twenty settled steps with snapshots of steps 10 and 15, an effect of step 4 that has ended, and one of step 13 that
    /// has not.
    ///
    /// - Parameter live: the step of the one that has not.
    private func makeJournal(live: Int = 13) async throws -> Journal {
        let journal = try openJournal(path) {
            $0.retention = Retention(last: 100)
            $0.stepsPerPruning = 5
        }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...20).map { "\($0)" })
        var batch = Batch()
        batch.runs = [(4, EffectRun.Status.completed), (live, .running)].map { step, status in
            EffectRun(stream: stream.id, step: step, ordinal: 0, rootStep: step, name: "charge", status: status)
        }
        batch.settled = [stream.id: 20]
        _ = try await journal.commit(batch)
        for step in [10, 15] { try await stream.saveSnapshot("\(step)", at: step) }
        return journal
    }

    enum Harm: String, CaseIterable {
        case action = "UPDATE entry SET action = '9' WHERE step = 3"
        case digest = "UPDATE entry SET digest = zeroblob(16) WHERE step = 5"
        case time = "UPDATE entry SET time = time + 1 WHERE step = 3"
        case firstEntry = "DELETE FROM entry WHERE step = 1"
        case entries = "DELETE FROM entry WHERE step IN (6, 7)"
        case lastEntryBeforeWhatStays = "DELETE FROM entry WHERE step = 10"
        case keptForALiveEffect = "UPDATE entry SET action = '9' WHERE step = 12"
        case effect = "UPDATE effect_run SET name = 'refund' WHERE step = 4"

        /// The step that the error names.
        var step: Int {
            switch self {
            case .action, .time: 3
            case .digest: 5
            case .firstEntry: 1
            case .entries: 6
            case .lastEntryBeforeWhatStays: 10
            case .keptForALiveEffect: 12
            case .effect: 4
            }
        }
    }

    @Test(arguments: Harm.allCases)
    func `is refused, and removes nothing, unless the damage is accepted`(_ harm: Harm) async throws {
        let journal = try await makeJournal()
        let shell = try Shell(path)
        try shell(harm.rawValue)
        let before = try journal.reader.lines()

        let planned = await journalError { try journal.reader.prunePlan(in: "a", before: 16) }
        let error = await journalError { try await journal.prune("a", before: 16) }
        #expect(error?.code == .corrupt && error?.stream == "a" && error?.step == harm.step)
        #expect(planned == error)
        #expect(try journal.reader.lines() == before)

        let plan = try journal.reader.prunePlan(in: "a", before: 16, acceptingDamage: true)
        let report = try await journal.prune("a", before: 16, acceptingDamage: true)
        #expect(report == plan)
        #expect(report.base == 15)
        #expect(try journal.reader.entries(in: "a").map(\.step) == Array(11...13) + Array(16...20))
        try await journal.close()
    }

    /// It is noticed later as before.
    @Test func `is not refused for damage after its base`() async throws {
        let journal = try await makeJournal()
        try Shell(path)("UPDATE entry SET action = '9' WHERE step = 18")
        #expect(try await journal.prune("a", before: 16).base == 15)
        #expect(try await journal.verify().isSound == false)
        try await journal.close()
    }

    @Test(arguments: ["state = 'x'", "time = 1"])
    func `is refused if the base of an earlier pruning is damaged`(_ change: String) async throws {
        let journal = try await makeJournal()
        #expect(try await journal.prune("a", before: 11).base == 10)
        try Shell(path)("UPDATE snapshot SET \(change) WHERE step = 10")
        let planned = await journalError { try journal.reader.prunePlan(in: "a", before: 16) }
        let error = await journalError { try await journal.prune("a", before: 16) }
        #expect(error?.code == .corrupt && error?.stream == "a")
        #expect(planned == error)
        #expect(try await journal.prune("a", before: 16, acceptingDamage: true).base == 15)
        try await journal.close()
    }

    /// The entries that a live effect needed are left before the base, and it has ended.
    @Test func `removes nothing more before a damaged base, also if damage is accepted`() async throws {
        let journal = try await makeJournal(live: 8)
        #expect(try await journal.prune("a", before: 11).keptEntries > 0)
        var batch = Batch()
        batch.runs = try journal.reader.liveRuns(in: "a").map { run in
            changed(run) { ($0.status, $0.ended) = (.completed, Timestamp(microseconds: 1)) }
        }
        _ = try await journal.commit(batch)
        try Shell(path)("UPDATE snapshot SET state = 'x' WHERE step = 10")
        for accepts in [false, true] {
            let planned = await journalError {
                try journal.reader.prunePlan(in: "a", before: 11, acceptingDamage: accepts)
            }
            let error = await journalError { try await journal.prune("a", before: 11, acceptingDamage: accepts) }
            #expect(error?.code == .corrupt && error?.stream == "a")
            #expect(planned == error)
        }
        try await journal.close()
    }

    @Test func `and that has nothing to remove changes nothing, and its plan says so`() async throws {
        let journal = try await makeJournal(live: 9)
        var batch = Batch()
        let stream = try journal.reader.stream("a").id
        batch.steps = [StepRecord(stream: stream, step: 9, outcome: .rejected, reason: "no")]
        _ = try await journal.commit(batch)
        _ = try await journal.prune("a", before: 16)
        // It stays for the live effect, and a check would find it.
        try Shell(path)("UPDATE step_record SET reason = 'x' WHERE step = 9")
        let plan = try journal.reader.prunePlan(in: "a", before: 16)
        let report = try await journal.prune("a", before: 16)
        #expect(plan == report)
        #expect(plan.removedEntries == 0)
        try await journal.close()
    }

    @Test(arguments: [false, true])
    func `is refused if the snapshot that becomes the base is damaged`(acceptsDamage: Bool) async throws {
        let journal = try await makeJournal()
        try Shell(path)("UPDATE snapshot SET state = 'x' WHERE step = 15")
        let planned = await journalError {
            try journal.reader.prunePlan(in: "a", before: 16, acceptingDamage: acceptsDamage)
        }
        let error = await journalError { try await journal.prune("a", before: 16, acceptingDamage: acceptsDamage) }
        #expect(error?.code == .corrupt && error?.stream == "a" && error?.step == 15)
        #expect(error?.advice.contains("--drop=15") == true)
        #expect(planned == error)
        try await journal.dropSnapshot(of: "a", at: 15)
        #expect(try await journal.prune("a", before: 16).base == 10)
        try await journal.close()
    }

    /// It cannot be dropped: no steps lead to it again.
    @Test func `is refused if the base of an earlier version is damaged, with no advice to drop it`() async throws {
        let journal = try openJournal(path) { $0.retention = Retention(last: 100) }
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: (1...20).map { "\($0)" })
        var batch = Batch()
        batch.settled = [stream.id: 20]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("10", at: 10, isBase: true)
        try Shell(path)("UPDATE snapshot SET state = 'x' WHERE step = 10")
        let error = await journalError { try await journal.prune("a", before: 12) }
        #expect(error?.code == .corrupt && error?.step == 10)
        #expect(error?.advice.contains("--drop") == false)
        try await journal.close()
    }

    /// Until then it is only a cache. Afterwards the effect would be found by nothing else.
    @Test(arguments: [false, true])
    func `is refused if the snapshot is damaged after which entries stay for a live effect`(acceptsDamage: Bool)
        async throws
    {
        let journal = try await makeJournal()
        try Shell(path)("UPDATE snapshot SET state = 'x' WHERE step = 10")
        let planned = await journalError {
            try journal.reader.prunePlan(in: "a", before: 16, acceptingDamage: acceptsDamage)
        }
        let error = await journalError { try await journal.prune("a", before: 16, acceptingDamage: acceptsDamage) }
        #expect(error?.code == .corrupt && error?.stream == "a" && error?.step == 10)
        #expect(error?.advice.contains("--drop=10") == true)
        #expect(planned == error)
        try await journal.dropSnapshot(of: "a", at: 10)
        // Now they begin with the first entry.
        #expect(try await journal.prune("a", before: 16).keptEntries == 13)
        #expect(try await journal.verify().problems == [])
        try await journal.close()
    }

    @Test func `is refused if the entry before those that stay up to the base is missing`() async throws {
        let journal = try await makeJournal(live: 15)
        try Shell(path)("DELETE FROM entry WHERE step IN (9, 10)")
        let error = await journalError { try await journal.prune("a", before: 16) }
        #expect(error?.code == .corrupt && error?.step == 9)
        try await journal.close()
    }
}
