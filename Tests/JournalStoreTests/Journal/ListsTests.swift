import Testing
import TortureKit

@testable import JournalStore

@Suite struct `Lists over all streams` {
    private let journal: Journal

    /// Three streams. The last has no effects and snapshots; the others have more than a page together.
    init() async throws {
        var options = Journal.Options()
        options.retention = Retention(last: 1000, everySteps: nil)
        journal = try Journal.inMemory(options: options)
        for name in ["b", "a", "c"] {
            let stream = try await journal.openStream(name, machine: "m")
            try await stream.append(contentsOf: (1...260).map { "\($0)" })
            guard name != "c" else { break }
            var batch = Batch()
            batch.runs = (1...260).map { step in
                EffectRun(stream: stream.id, step: step, ordinal: 0, rootStep: step, name: "charge", status: .running)
            }
            batch.snapshots = (1...260).map { step in
                NewSnapshot(stream: stream.id, step: step, version: 1, isBase: false, state: "\(step)")
            }
            _ = try await journal.commit(batch)
        }
    }

    @Test func `effects and snapshots are listed stream by stream, page by page`() throws {
        let all = ["b", "a"].flatMap { name in (1...260).map { "\(name) \($0)" } }
        var effects: [String] = []
        try journal.reader.forEachEffect(of: nil) { page in
            effects += page.map { "\($0.stream) \($0.run.step)" }
        }
        #expect(effects == all)
        var snapshots: [String] = []
        try journal.reader.forEachSnapshot(of: nil) { page in
            #expect(page.allSatisfy { $0.mark.stateBytes == "\($0.mark.step)".count })
            snapshots += page.map { "\($0.stream) \($0.mark.step)" }
        }
        #expect(snapshots == all)
    }

    @Test func `effects that have ended are left out on request`() async throws {
        var batch = Batch()
        let stream = try journal.reader.stream("a").id
        batch.runs = (1...259).map { step in
            EffectRun(stream: stream, step: step, ordinal: 0, rootStep: step, name: "charge", status: .completed)
        }
        _ = try await journal.commit(batch)
        var effects: [String] = []
        try journal.reader.forEachEffect(of: nil, isLive: true) { effects += $0.map { "\($0.stream) \($0.run.step)" } }
        #expect(effects == (1...260).map { "b \($0)" } + ["a 260"])
    }

    @Test func `runs are listed like effects, with the names of their streams`() throws {
        for isLive in [false, true] {
            var effects: [EffectRun] = []
            var runs: [EffectRun] = []
            try journal.reader.forEachEffect(of: nil, isLive: isLive) { effects += $0.map(\.run) }
            try journal.reader.forEachRun(of: nil, isLive: isLive) { page in
                #expect(page.allSatisfy { $0.stream == ($0.run.stream == effects.first?.stream ? "b" : "a") })
                runs += page.map { $0.run }
            }
            #expect(runs.count == 520)
            #expect(runs == effects)
        }
    }

    @Test func `effects with other statuses or names than the requested ones are not read`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: ["1", "2", "3", "4"])
        let rows: [(name: String, status: EffectRun.Status)] = [
            ("charge", .completed), ("mail", .failed), ("charge", .failed), ("charge", .running),
        ]
        var batch = Batch()
        batch.runs = rows.enumerated().map { index, row in
            EffectRun(
                stream: stream.id, step: index + 1, ordinal: 0, rootStep: index + 1, name: row.name, status: row.status)
        }
        _ = try await journal.commit(batch)
        // The one of the first step cannot be read any more.
        try Shell(path)("UPDATE effect_run SET version = 9 WHERE step = 1")
        func steps(_ statuses: Set<EffectRun.Status>, _ names: [String] = []) throws -> [Int] {
            var steps: [Int] = []
            try journal.reader.forEachEffect(of: nil, with: statuses, named: names) { steps += $0.map(\.run.step) }
            return steps
        }
        #expect(try steps([.failed]) == [2, 3])
        #expect(try steps([.failed, .running], ["charge"]) == [3, 4])
        #expect(try steps([.running]) == [4])
        #expect(try steps([.running, .waiting], ["mail"]) == [])
        #expect(try steps(Set(EffectRun.Status.allCases), ["mail"]) == [2])
        let error = #expect(throws: JournalError.self) { try steps([.failed, .completed]) }
        #expect(error?.code == .corrupt)
        #expect(try Set(journal.reader.effectNames(of: "a", isLive: false)) == ["charge", "mail"])
        #expect(try journal.reader.effectNames(of: nil, isLive: true) == ["charge"])
        try await journal.close()
    }

    @Test func `a read of the requested effects passes a limited number of others`() throws {
        let selection = JournalDatabase.RunSelection(statuses: #"["failed"]"#, reach: 100)
        var place = JournalDatabase.ListPlace(of: nil)
        var steps: [Int] = []
        while true {
            let next = try journal.reader.read("reading the effects") { [place] database throws(DatabaseError) in
                var (next, damage): (JournalDatabase.ListPlace, [DatabaseError]) = (place, [])
                _ = try database.runList(after: &next, limit: 500, selection, damage: &damage)
                return next
            }
            if next == place { break }
            place = next
            steps.append(place.step)
        }
        // The first stream has 260 effects, and so has the second.
        #expect(steps == [100, 200, 40, 140, 240])
    }

    @Test func `a read of the failed effects passes no others`() async throws {
        let stream = try journal.reader.stream("a").id
        var batch = Batch()
        batch.runs = [200, 250].map { step in
            EffectRun(stream: stream, step: step, ordinal: 0, rootStep: step, name: "charge", status: .failed)
        }
        _ = try await journal.commit(batch)
        let selection = JournalDatabase.RunSelection(isFailed: true, reach: 1)
        let steps = try journal.reader.read("reading the effects") { database throws(DatabaseError) in
            var (place, damage): (JournalDatabase.ListPlace, [DatabaseError]) = (.init(of: nil), [])
            return try database.runList(after: &place, limit: 500, selection, damage: &damage).map(\.step)
        }
        #expect(steps == [200, 250])
    }

    /// A journal with three steps of one stream, and effects of them.
    private func journalWithEffects(_ places: [(step: Int, ordinal: Int)], at path: String) async throws -> Journal {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: ["1", "2", "3"])
        var batch = Batch()
        batch.runs = places.map { step, ordinal in
            EffectRun(
                stream: stream.id, step: step, ordinal: ordinal, rootStep: step, name: "charge", status: .running)
        }
        _ = try await journal.commit(batch)
        return journal
    }

    @Test func `the effects from a step on are read without those of earlier steps`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try await journalWithEffects([(1, 0), (2, 0), (2, 1), (3, 0)], at: path)
        // The one of the first step cannot be read any more.
        try Shell(path)("UPDATE effect_run SET name = 'changed' WHERE step = 1")
        var found: [String] = []
        try journal.reader.forEachRun(of: "a", from: 2) { found += $0.map { "\($0.run.key)" } }
        #expect(found == ["2.0", "2.1", "3.0"])
        try await journal.close()
    }

    @Test func `of the dispatch IDs only those of the roots are read`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        for step in 1...5 { try await stream.append("\(step)", id: "dispatch-\(step)") }
        var batch = Batch()
        batch.runs = [1, 5].map { root in
            EffectRun(stream: stream.id, step: 5, ordinal: root, rootStep: root, name: "charge", status: .running)
        }
        _ = try await journal.commit(batch)
        // One between them cannot be read any more.
        try Shell(path)("UPDATE dispatch_id SET id = 'changed' WHERE step = 3")
        var ids: [String?] = []
        try journal.reader.forEachEffect(of: nil) { ids += $0.map(\.dispatchID) }
        #expect(ids == ["dispatch-1", "dispatch-5"])
        try await journal.close()
    }

    @Test func `the effects of a step are read without those of other steps`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try await journalWithEffects([(2, 0), (2, 1), (3, 0)], at: path)
        // The one of the last step cannot be read any more.
        try Shell(path)("UPDATE effect_run SET name = 'changed' WHERE step = 3")
        let reader = journal.reader
        #expect(try reader.effectRuns(in: "a", step: 1, limit: 9).isEmpty)
        #expect(try reader.effectRuns(in: "a", step: 2, limit: 9).map(\.ordinal) == [0, 1])
        #expect(try reader.effectRuns(in: "a", step: 2, limit: 1).map(\.ordinal) == [0])
        let error = #expect(throws: JournalError.self) { try reader.effectRuns(in: "a", step: 3, limit: 9) }
        #expect(error?.code == .corrupt)
        try await journal.close()
    }

    @Test func `a page of effects ends when it has enough bytes`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        var batch = Batch()
        batch.runs = (0..<5).map { ordinal in
            EffectRun(
                stream: stream.id, step: 1, ordinal: ordinal, rootStep: 1, name: "charge", status: .running,
                described: "\"" + String(repeating: "x", count: StoredSteps.enough / 2) + "\"")
        }
        _ = try await journal.commit(batch)
        var pages: [[Int]] = []
        try journal.reader.forEachRun(of: nil) { page in pages.append(page.map { $0.run.ordinal }) }
        #expect(pages == [[0, 1], [2, 3], [4]])
        let page = try journal.reader.effectRuns(in: "a", after: (1, 0), limit: 9)
        #expect(page.map(\.ordinal) == [1, 2])
    }

    @Test func `a page of the records of steps ends when it has enough bytes`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append(contentsOf: ["1", "2", "3"])
        var batch = Batch()
        batch.steps = (1...3).map { step in
            StepRecord(
                stream: stream.id, step: step, cascade: String(repeating: "x", count: StoredSteps.enough / 2))
        }
        batch.settled = [stream.id: 3]
        _ = try await journal.commit(batch)
        func read(from step: Int, bytes: Int) throws -> [Int] {
            try journal.reader.stepRecords(of: "a", from: step, limit: 9, bytes: bytes).map(\.step)
        }
        #expect(try read(from: 1, bytes: .max) == [1, 2, 3])
        #expect(try read(from: 1, bytes: StoredSteps.enough) == [1, 2])
        #expect(try read(from: 2, bytes: 1) == [2])
        // A replay reads each of them.
        var pages = StepRecordPages(reader: journal.reader, stream: "a", after: 0)
        var found: [Int?] = []
        for step in 1...4 { found.append(try pages.record(of: step)?.step) }
        #expect(found == [1, 2, 3, nil])
    }

    @Test func `of many remembered steps only the first ones are read`() async throws {
        let journal = try Journal.inMemory()
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        var batch = Batch()
        batch.runs = (0..<3).map { ordinal in
            EffectRun(
                stream: stream.id, step: 1, ordinal: ordinal, rootStep: 1, name: "charge", status: .running,
                attempts: 1)
        }
        batch.remembered = [0, 1, 1, 1].enumerated().map { number, ordinal in
            RememberedStep(
                stream: stream.id, step: 1, ordinal: ordinal, path: "", name: "step \(number)", use: 1, result: "12345")
        }
        _ = try await journal.commit(batch)
        func read(limit: Int, bytes: Int) throws -> [String] {
            try journal.reader.remembered(of: batch.runs, limit: limit, bytes: bytes).map { first in
                first.steps.map(\.name).joined(separator: ", ") + (first.hasMore ? " and more" : "")
            }
        }
        #expect(try read(limit: 9, bytes: 100) == ["step 0", "step 1, step 2, step 3", ""])
        #expect(try read(limit: 1, bytes: 100) == ["step 0", "step 1 and more", ""])
        // The second run fills the page: the caller reads the third one with the next page.
        #expect(try read(limit: 9, bytes: 7) == ["step 0", "step 1, step 2 and more"])
        #expect(try read(limit: 9, bytes: 0) == [" and more"])
    }

    @Test func `interventions are listed in the order of all streams, page by page`() async throws {
        var batch = Batch()
        for name in ["a", "b"] {
            batch.interventions[try journal.reader.stream(name).id] = (1...300).map { step in
                Intervention(act: .cancel, step: step, ordinal: 0, time: .now(), before: .running)
            }
        }
        _ = try await journal.commit(batch)
        var all: [ListedIntervention] = []
        try journal.reader.forEachIntervention(of: nil) { all += $0 }
        #expect(all.count == 600)
        #expect(all.allSatisfy { $0.effect == ($0.intervention.step <= 260 ? "charge" : nil) })
        var some: [ListedIntervention] = []
        try journal.reader.forEachIntervention(of: "a") { some += $0 }
        #expect(some == all.filter { $0.stream == "a" })
        #expect(some.map(\.intervention.step) == Array(1...300))
    }

    @Test func `the interventions on a step are read without those on other steps`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.db")
        let journal = try await journalWithEffects([(1, 0), (2, 0), (2, 1)], at: path)
        var batch = Batch()
        batch.interventions[try journal.reader.stream("a").id] = [(1, 0), (2, 1), (2, 0)].map { step, ordinal in
            Intervention(act: .cancel, step: step, ordinal: ordinal, time: .now(), before: .running)
        }
        _ = try await journal.commit(batch)
        // That on the first step cannot be read any more.
        try Shell(path)("UPDATE intervention SET before = 'waiting' WHERE step = 1")
        let reader = journal.reader
        #expect(try reader.interventions(in: "a", steps: 2...2).map(\.ordinal) == [1, 0])
        #expect(try reader.interventions(in: "a", steps: 3...3).isEmpty)
        let error = #expect(throws: JournalError.self) { try reader.interventions(in: "a", steps: 1...1) }
        #expect(error?.code == .corrupt)
        try await journal.close()
    }

    @Test(arguments: [("a", 260), ("b", 260), ("c", 0)])
    func `the effects and snapshots of one stream are listed`(_ name: String, count: Int) throws {
        var steps: [Int] = []
        try journal.reader.forEachEffect(of: name) { page in
            #expect(page.allSatisfy { $0.stream == name })
            steps += page.map(\.run.step)
        }
        #expect(steps == Array((1...260).prefix(count)))
        steps = []
        try journal.reader.forEachSnapshot(of: name) { steps += $0.map(\.mark.step) }
        #expect(steps == Array((1...260).prefix(count)))
    }
}
