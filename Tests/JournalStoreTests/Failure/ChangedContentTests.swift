import Foundation
import JournalStore
import Testing
import TortureKit

/// `make torture` runs more of each.
@Suite struct `Changed content` {
    /// MUTANTS says how many are tried.
    private static let mutants = ProcessInfo.processInfo.environment["MUTANTS"].flatMap { UInt64($0) } ?? 300

    @Test func `no damage to a file of a journal changes anything unnoticed`() async throws {
        let rot = try await BitRot()
        var result = BitRot.Result()
        for seed in 0..<Self.mutants { try await rot.run(seed, &result) }
        #expect(result.problems == [])
        #expect(result.noticed > 100 && result.harmless > 10)
    }

    @Test func `the journal whose indexes are changed has an entry in each of them`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("closed.db")
        try await Rich.make(killed: folder.path("killed.db"), closed: path)
        let shell = try Shell(path, readOnly: true)
        // The table of each index, with the condition of a partial one.
        let indexed = try shell(
            """
            SELECT tbl_name || iif(instr(line, ' WHERE '), substr(line, instr(line, ' WHERE ')), '') FROM (
                SELECT tbl_name, replace(sql, char(10), ' ') AS line FROM sqlite_schema
                WHERE type = 'index' AND sql IS NOT NULL)
            """)
        #expect(indexed.contains("entry WHERE origin = 4"))
        for rows in indexed { #expect(try shell("SELECT count(*) > 0 FROM \(rows)") == ["1"], "\(rows)") }
    }

    @Test func `no changed byte of an index changes anything unnoticed`() async throws {
        let rot = try await BitRot()
        let bytes = try rot.indexBytes()
        var result = BitRot.Result()
        for index in stride(from: 0, to: bytes.count, by: 23) { try await rot.change(bytes[index], &result) }
        #expect(result.problems == [])
        #expect(result.noticed > 20)
    }

    @Test func `a table or an index that seems endless is noticed by verify, an export and an opening`() async throws {
        let rot = try await BitRot()
        let trees = try rot.trees()
        var result = BitRot.Result()
        for name in ["stream", "effect_queue", "effect_run_open"] {
            try await rot.makeEndless(try #require(trees.first { $0.name == name }), &result)
        }
        #expect(result.problems == [])
        #expect(result.mutants == 3 && result.noticed == 3)
    }

    @Test func `no value of a row crashes a reader or a writer, and verify knows what an opening refuses`() async throws
    {
        let fuzz = try await RowFuzz()
        var result = RowFuzz.Result()
        for index in stride(from: 0, to: fuzz.count, by: 37) { try await fuzz.run(index, &result) }
        #expect(result.problems == [])
        #expect(result.refused > 5)
    }

    @Test func `no number in stored JSON crashes a reader or a writer`() async throws {
        let fuzz = try await RowFuzz()
        var result = RowFuzz.Result()
        for index in fuzz.numbers { try await fuzz.run(index, &result) }
        #expect(result.problems == [])
        #expect(result.mutants > 20)
    }

    @Test func `a queue whose last start is the earliest time of all is restored`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path("closed.db")
        try await Rich.make(killed: folder.path("killed.db"), closed: path)
        #expect(try Shell(path)("SELECT count(*) FROM effect_queue WHERE last_start IS NOT NULL") == ["1"])
        try Shell(path).change("UPDATE effect_queue SET last_start = \(Int64.min)")
        var options = Journal.Options()
        options.report = { _ in }
        let journal = try Journal(path: path, options: options)
        var opening = OpenOptions()
        opening.restart = .ask
        let store = try await journal.open(
            Rich.machine, stream: "rich", environment: Rich.Arrivals(), options: opening)
        #expect(try await store.liveRuns().contains { $0.described != nil && $0.queue != nil })
        try await journal.close()
    }
}
