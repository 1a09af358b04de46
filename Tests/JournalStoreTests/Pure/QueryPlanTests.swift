import Testing

@testable import JournalStore

@Suite struct `Pure, query plans` {
    @Test func `the dispatch IDs of a page of steps are found by their steps`() throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(Query.dispatchIDsOfSteps.sql)").all { $0.text(3) }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("USING INDEX dispatch_id_by_step (stream=? AND step>? AND step<?)") == true)
    }
}
