import Testing
import TortureKit

@testable import JournalStore

/// What a verification says if much is damaged, or if the journal changes meanwhile.
@Suite struct `Verification` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    /// Two streams of twenty settled steps, with snapshots after 10 and 20.
    private func journal() async throws -> Journal {
        let journal = try Journal(path: path)
        for name in ["a", "b"] {
            let stream = try await journal.openStream(name, machine: "m")
            try await stream.append(contentsOf: (1...20).map { "\($0)" })
            var batch = Batch()
            batch.settled = [stream.id: 20]
            _ = try await journal.commit(batch)
            for step in [10, 20] { try await stream.saveSnapshot("\(step)", at: step) }
        }
        return journal
    }

    @Test func `takes work in proportion to the skipped steps, so that many of them do not look like a damaged file`()
        async throws
    {
        var calls: [Int] = []
        for count in [300, 1_200] {
            let journal = try Journal.inMemory()
            let stream = try await journal.openStream("a", machine: "m")
            try await stream.append(contentsOf: (1...count).map { "\($0)" })
            try await stream.close()
            for step in 1...count { try await journal.skip(step, in: "a") }
            calls.append(
                try journal.reader.read("looking for loose records") { database throws(DatabaseError) in
                    #expect(try database.looseRecords().isEmpty)
                    return Int(database.connection.work.pointee.calls)
                })
            try await journal.close()
        }
        #expect(calls[1] <= 6 * max(calls[0], 4), "\(calls)")
    }

    @Test func `a stream after one whose row is damaged is checked too`() async throws {
        try await journal().close()
        try Shell(path)(
            """
            UPDATE stream SET created = created + 1 WHERE name = 'a';
            UPDATE entry SET action = '99' WHERE step = 4 AND stream = (SELECT id FROM stream WHERE name = 'b')
            """)
        let report = try JournalReader(path: path).verify()
        #expect(report.problems.map(\.stream) == ["a", "b"])
        #expect(report.problems.map(\.step) == [nil, 4])
        #expect(report.streams == 1)
    }

    @Test func `entries that were pruned after the row of their stream was read are not missing`() async throws {
        let journal = try await journal()
        let before = try journal.reader.stream("a")
        try await journal.prune("a", before: 15)
        var report = VerificationReport()
        try journal.reader.check(before, &report)
        #expect(report.problems == [])
        #expect(report.entries == 10)
        // Damage is reported all the same.
        try Shell(path)("UPDATE entry SET action = '99' WHERE step = 14 AND stream = \(before.id.rawValue)")
        try journal.reader.check(before, &report)
        #expect(report.problems.map(\.step) == [14])
    }

    @Test func `a damaged entry is listed, however many damaged snapshots there are`() async throws {
        try await keepManySnapshots(path)
        try Shell(path)("UPDATE snapshot SET state = 'x'; UPDATE entry SET action = '99' WHERE step = 140")
        let report = try JournalReader(path: path).verify()
        #expect(report.problems.count == VerificationReport.limit)
        #expect(report.problems.last?.step == 140)
        #expect(!report.isSoundWithoutCaches)
    }

    @Test func `a full list drops problems of snapshots for others, and no others`() {
        func problem(_ step: Int, isOfCache: Bool = false) -> VerificationReport.Problem {
            VerificationReport.Problem(step: step, message: "", isOfCache: isOfCache)
        }
        var report = VerificationReport()
        for step in 1...VerificationReport.limit { report.add(problem(step, isOfCache: true)) }
        #expect(report.isSoundWithoutCaches && !report.isFull)
        report.add(problem(-1))
        #expect(report.problems.map(\.step).suffix(2) == [VerificationReport.limit - 1, -1])
        #expect(!report.isSoundWithoutCaches)
        for step in 1...VerificationReport.limit { report.add(problem(-step)) }
        #expect(report.isFull)
        let whole = report
        report.add(problem(7, isOfCache: true))
        report.add(problem(8))
        #expect(report == whole)
        #expect(whole.problems.count == VerificationReport.limit && !whole.problems.contains(where: \.isOfCache))
    }
}
