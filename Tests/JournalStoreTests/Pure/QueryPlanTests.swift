import Testing

@testable import JournalStore

@Suite struct `Pure, query plans` {
    @Test func `a dispatch ID is found by its step`() throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(Query.dispatchIDOfStep.sql)").all { $0.text(3) }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("USING INDEX dispatch_id_by_step (stream=? AND step=?)") == true)
    }

    @Test(arguments: [
        (Query.runList, "PRIMARY KEY"), (.liveRunList, "INDEX effect_run_open"),
        (.failedRunList, "INDEX effect_run_failed"), (.laterRun, "PRIMARY KEY"),
    ])
    func `a page of effects begins at its place, and is not sorted`(_ query: Query, _ index: String) throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(query.sql)").all { $0.text(3) }
        #expect(plan.first?.hasPrefix("SEARCH effect_run USING \(index) ((stream,step,ordinal)>(?,?,?)") == true)
        #expect(!plan.contains { $0.contains("TEMP B-TREE") })
    }

    @Test(arguments: [
        (Query.interventionList, "USING INTEGER PRIMARY KEY (rowid>?)"),
        (.interventionListOfStream, "USING INDEX intervention_by_stream (stream=? AND rowid>?)"),
    ])
    func `a page of interventions begins at its place, and is not sorted`(_ query: Query, _ index: String) throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(query.sql)").all { $0.text(3) }
        #expect(plan == ["SEARCH intervention \(index)"])
    }

    @Test(arguments: [
        (Query.firstStepNotBefore, "SEARCH entry USING INDEX entry_by_step (stream=? AND step>? AND step<?)"),
        (.lastStepNotAfter, "SEARCH entry USING INDEX entry_by_step (stream=?)"),
        (.firstPositionNotBefore, "SEARCH entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
        (.lastPositionNotAfter, "SEARCH entry USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"),
    ])
    func `the first or last entry of a time is looked for in order, and none is sorted`(
        _ query: Query, _ expected: String
    ) throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(query.sql)").all { $0.text(3) }
        #expect(plan == [expected])
    }

    @Test func `one live effect between two snapshots is found without reading the others`() throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(Query.liveRunOfSteps.sql)").all { $0.text(3) }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("USING INDEX effect_run_open (stream=? AND step>? AND step<?)") == true)
        #expect(Query.liveRunOfSteps.sql.hasSuffix(" LIMIT 1"))
    }

    @Test func `a page of remembered steps is found by its first use`() throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(Query.rememberedUses.sql)").all { $0.text(3) }
        #expect(plan.count == 1)
        #expect(plan.first?.contains("USING PRIMARY KEY") == true)
        #expect(plan.first?.contains("path=? AND name=? AND nth>?") == true)
    }

    @Test func `the records that an opening restores are found without reading those of ended effects`() throws {
        let connection = try Connection(path: "", access: .memory)
        try Migrator().apply(Migration.all, to: connection, at: Timestamp(microseconds: 0))
        let plan = try connection.prepare("EXPLAIN QUERY PLAN \(Query.liveRecords.sql)").all { $0.text(3) }
        #expect(plan.contains { $0.contains("run USING INDEX effect_run_open (stream=?)") })
        #expect(plan.contains { $0.contains("effect_step USING PRIMARY KEY (stream=? AND step=? AND ordinal=?)") })
        #expect(plan.contains { $0.contains("step_record USING INDEX step_cancelled (stream=?)") })
        #expect(!plan.contains { $0.contains("SCAN") })
    }
}
