import Foundation
import JournalStore
import Testing
import TortureKit

/// What the file shows in the `sqlite3` shell.
@Suite struct `The file in the sqlite3 shell` {
    let folder: TemporaryFolder
    let path: String
    init() throws {
        folder = try TemporaryFolder()
        path = folder.path("a.db")
    }

    @Test func `the view journal has a readable row for each entry`() async throws {
        let journal = try openJournal(path) { $0.wallClock = { Timestamp(microseconds: 1_700_000_000_123_456) } }
        let stream = try await journal.openStream("cart-42", machine: "cart")
        try await stream.append(#"{"add":{"item":"apple"}}"#)
        try await stream.append(#""pay""#)
        try await stream.append("3")
        try await stream.append("no JSON")
        var batch = Batch()
        batch.steps = [StepRecord(stream: stream.id, step: 2, outcome: .rejected, reason: "empty")]
        batch.settled = [stream.id: 3]
        _ = try await journal.commit(batch)
        #expect(
            try Shell(path, readOnly: true)("SELECT * FROM journal") == [
                #"cart-42|1|2023-11-14T22:13:20.123456Z|add|{"add":{"item":"apple"}}|dispatched||reduced|"#,
                #"cart-42|2|2023-11-14T22:13:20.123456Z|pay|"pay"|dispatched||rejected|empty"#,
                "cart-42|3|2023-11-14T22:13:20.123456Z||3|dispatched||reduced|",
                "cart-42|4|2023-11-14T22:13:20.123456Z||no JSON|dispatched|||",
            ])
    }

    @Test func `the view effects has a row for each recorded run, with how long it took`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("cart-42", machine: "cart")
        try await stream.append(#"{"pay":{}}"#)
        var batch = Batch()
        let start = Timestamp(microseconds: 1_700_000_000_000_000)
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .failed, attempts: 2,
                started: start, ended: Timestamp(microseconds: start.microseconds + 2_500_000), error: "refused"),
            EffectRun(stream: stream.id, step: 1, ordinal: 1, rootStep: 1, name: "mail", status: .waiting),
        ]
        _ = try await journal.commit(batch)
        #expect(
            try Shell(path, readOnly: true)("SELECT * FROM effects") == [
                "cart-42|1|0|charge|effect|||failed|2|0|2023-11-14T22:13:20.000000Z|2023-11-14T22:13:22.500000Z|2.5||resume|refused",
                "cart-42|1|1|mail|effect|||waiting|0|0|||||resume|",
            ])
    }

    @Test func `the views show times before 1970 as well, and none after the year 9999`() async throws {
        let time = Timestamp(microseconds: -1)
        let journal = try openJournal(path) { $0.wallClock = { time } }
        let stream = try await journal.openStream("cart-42", machine: "cart")
        try await stream.append(#"{"pay":{}}"#, id: "order-7")
        var batch = Batch()
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .completed, attempts: 1,
                started: Timestamp(microseconds: -2_500_000), ended: time),
            EffectRun(
                stream: stream.id, step: 1, ordinal: 1, rootStep: 1, name: "remind", status: .delayed,
                notBefore: Timestamp(microseconds: .max)),
        ]
        _ = try await journal.commit(batch)
        let shell = try Shell(path, readOnly: true)
        #expect(time.description == "1969-12-31T23:59:59.999999Z")
        for view in ["journal", "dispatch_ids", "openings"] {
            #expect(try shell("SELECT time FROM \(view)") == [time.description], "\(view)")
        }
        let attempt = "1969-12-31T23:59:57.500000Z|\(time)"
        #expect(try shell("SELECT started, ended FROM effects WHERE effect = 0") == [attempt])
        #expect(try shell("SELECT started, ended FROM attempts") == [attempt])
        #expect(try shell("SELECT started, not_before FROM running_effects") == ["|"])
    }

    @Test func `the view running_effects finds those of one stream by the index on live runs`() async throws {
        try await Journal(path: path).close()
        let plan = try Shell(path, readOnly: true)(
            "EXPLAIN QUERY PLAN SELECT * FROM running_effects WHERE stream = 'cart-42'")
        #expect(plan.contains { $0.contains("USING INDEX effect_run_open (stream=?)") }, "\(plan)")
    }

    @Test func `the view effects tells timers and messages from effects`() async throws {
        let journal = try Journal(path: path)
        let receiver = Machine<Int, Int, Void>("till", initialState: 0) { _, _, _ in .none }
        let machine = Machine<Int, Int, Void>("cart", initialState: 0) { number, state, _ in
            state = number
            return .after(.seconds(3_600), 2, name: "remind") + .run("charge") { nil }
        }
        .connected(to: receiver, stream: "till-1") { step in step.stream == "cart-42" ? step.after : nil }
        let store = try await journal.open(machine, stream: "cart-42")
        try await store.dispatch(1)
        try await store.flush()
        #expect(
            try Shell(path, readOnly: true)("SELECT name, kind FROM effects ORDER BY name") == [
                "charge|effect", "remind|timer", "till-1|message",
            ])
        #expect(
            try Shell(path, readOnly: true)("SELECT name, kind FROM running_effects WHERE name = 'remind'") == [
                "remind|timer"
            ])
        try await journal.close()
    }

    @Test func `the views dispatch_ids and interventions have a row for each`() async throws {
        let now = Timestamp(microseconds: 1_700_000_000_000_000)
        let journal = try openJournal(path) { $0.wallClock = { now } }
        let stream = try await journal.openStream("cart-42", machine: "cart")
        try await stream.append(#"{"add":{}}"#)
        try await stream.append(#"{"pay":{}}"#, id: "order-7")
        var batch = Batch()
        batch.runs = [
            EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .running)
        ]
        _ = try await journal.commit(batch)
        try await stream.close()
        try await journal.cancel(RunKey(step: 1), in: "cart-42", reason: "by hand", user: "ann")
        try await journal.skip(2, in: "cart-42", reason: "crashes")
        let shell = try Shell(path, readOnly: true)
        #expect(try shell("SELECT * FROM dispatch_ids") == ["cart-42|order-7|2|2023-11-14T22:13:20.000000Z|pay"])
        #expect(
            try shell("SELECT * FROM interventions") == [
                "2023-11-14T22:13:20.000000Z|cart-42|1|0|charge|cancel|running|ann|by hand",
                "2023-11-14T22:13:20.000000Z|cart-42|2|||skip|||crashes",
            ])
        #expect(try shell("SELECT step, outcome, reason FROM journal WHERE step = 2") == ["2|skipped|crashes"])
    }

    @Test func `the view running_effects has a row for each live run`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("cart-42", machine: "cart")
        try await stream.append(#"{"pay":{}}"#)
        var batch = Batch()
        let start = Timestamp(microseconds: 1_700_000_000_000_000)
        batch.runs = [
            EffectRun(
                stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge",
                effectID: #"PaymentID {"order":7}"#,
                queue: "newest 1", status: .running, attempts: 2, started: start, error: "timed out"),
            EffectRun(stream: stream.id, step: 1, ordinal: 1, rootStep: 1, name: "mail", status: .completed),
            EffectRun(
                stream: stream.id, step: 1, ordinal: 2, rootStep: 1, name: "remind", status: .delayed,
                restart: .cancel,
                notBefore: start, described: #"{"after":60}"#),
        ]
        _ = try await journal.commit(batch)
        #expect(
            try Shell(path, readOnly: true)("SELECT * FROM running_effects") == [
                "cart-42|1|0|charge|effect|PaymentID {\"order\":7}|newest 1|running|2|2023-11-14T22:13:20.000000Z||resume|timed out",
                "cart-42|1|2|remind|effect|||delayed|0||2023-11-14T22:13:20.000000Z|cancel|",
            ])
        #expect(try journal.reader.effectRuns(in: "cart-42", status: .delayed).map(\.name) == ["remind"])
        #expect(try journal.reader.effectRuns(in: "cart-42") == batch.runs)
        #expect(try await journal.verify().isSound)
    }

    @Test func `a batch stores its entries, records and snapshots`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        var batch = Batch(entries: [NewEntry(stream: stream.id, action: "1", version: 3)])
        batch.steps = [
            StepRecord(stream: stream.id, step: 1, outcome: .reduced, cascade: #"["x"]"#, effects: #"["charge"]"#)
        ]
        batch.runs = [EffectRun(stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "charge", status: .running)]
        batch.remembered = [
            RememberedStep(stream: stream.id, step: 1, ordinal: 0, path: "", name: "reserve", use: 1, result: "true")
        ]
        batch.queues = [
            QueueMemory(stream: stream.id, key: "q", policy: "newest 1", lastStart: Timestamp(microseconds: 5))
        ]
        batch.snapshots = [NewSnapshot(stream: stream.id, step: 1, version: 3, state: "{}")]
        batch.settled = [stream.id: 1]
        _ = try await journal.commit(batch)

        let shell = try Shell(path, readOnly: true)
        #expect(
            try shell("SELECT step, outcome, cascade, effects FROM step_record") == [#"1|reduced|["x"]|["charge"]"#])
        #expect(try shell("SELECT step, name, nth, result FROM effect_step") == ["1|reserve|1|true"])
        #expect(try shell("SELECT key, policy, last_start FROM effect_queue") == ["q|newest 1|5"])
        #expect(try shell("SELECT step, version, is_base, state FROM snapshot") == ["1|3|0|{}"])
        #expect(try shell("SELECT head_step, settled_step FROM stream") == ["1|1"])
        #expect(try shell("SELECT version FROM entry") == ["3"])
        #expect(try await journal.verify().isSound)

        // Later records replace the earlier records of the same run or queue.
        var later = Batch()
        batch.runs[0].status = .completed
        later.runs = batch.runs
        later.queues = [QueueMemory(stream: stream.id, key: "q", policy: "oldest 2", lastStart: nil)]
        _ = try await journal.commit(later)
        #expect(try shell("SELECT status FROM effect_run") == ["completed"])
        #expect(try shell("SELECT policy, last_start FROM effect_queue") == ["oldest 2|"])
        #expect(try shell("SELECT count(*) FROM running_effects") == ["0"])
    }

    @Test func `the digests of a row come before its long texts`() async throws {
        try await Journal(path: path).close()
        // The texts before them are short. A key is stored first, wherever it is declared.
        #expect(
            try Shell(path, readOnly: true)(
                """
                SELECT t.name || '.' || c.name FROM sqlite_schema AS t, pragma_table_info(t.name) AS c
                WHERE t.type = 'table' AND c.type = 'TEXT' AND c.pk = 0 AND c.cid < (
                    SELECT max(d.cid) FROM pragma_table_info(t.name) AS d WHERE d.name IN ('digest', 'row_digest'))
                ORDER BY 1
                """) == [
                    "effect_run.status", "intervention.act", "intervention.before", "migration.name",
                    "opening.library", "step_record.outcome", "stream.crash_loop", "stream.machine", "stream.name",
                    "writer.path",
                ])
    }

    @Test func `connections use the WAL and do not trust the schema`() async throws {
        let journal = try Journal(path: path)
        let stream = try await journal.openStream("a", machine: "m")
        try await stream.append("1")
        // The file itself records the WAL mode.
        #expect(try Shell(path, readOnly: true)("PRAGMA journal_mode") == ["wal"])
        // A view that calls a function which is not innocuous is refused: trusted_schema is off.
        try Shell(path)("CREATE VIEW evil AS SELECT fts3_tokenizer('simple') AS x")
        let report = try JournalReader(path: path).verify()
        #expect(report.problems.map(\.message) == ["the view evil is not part of the schema"])
        try await journal.close()
        let error = #expect(throws: JournalError.self) { try Journal(path: path) }
        #expect(error?.advice.contains("drop the view in a sqlite3 shell") == true, "\(String(describing: error))")
    }
}
