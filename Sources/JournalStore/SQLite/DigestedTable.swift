/// The tables whose rows have a row digest: the digest of the row's other columns, with the table's name.
///
/// It is computed where a row is written and compared where a row is read, both in SQL by the function `row_digest`
/// (``RowDigest``), so that each statement spells out neither.
enum DigestedTable: String, CaseIterable {
    case migration, writer, opening, stream, seed, snapshot, intervention
    case stepRecord = "step_record"
    case dispatchID = "dispatch_id"
    case run = "effect_run"
    case attempt = "effect_attempt"
    case remembered = "effect_step"
    case queue = "effect_queue"

    /// The columns that the digest covers, in the order of the schema.
    ///
    /// Only the state of a snapshot is left out. It has its own digest, so that a list of snapshots reads no states.
    var columns: [String] {
        switch self {
        case .migration: ["number", "name", "digest", "applied"]
        case .writer: ["id", "journal", "epoch", "path", "surplus"]
        case .opening: ["number", "time", "process", "library"]
        case .stream:
            [
                "id", "name", "machine", "created", "seed", "head_step", "head_digest", "settled_step", "pruned_step",
                "begun", "crash_loop", "last_transaction", "records_digest", "live_digest",
            ]
        case .seed: ["stream", "step", "seed"]
        case .snapshot: ["stream", "step", "version", "time", "is_base", "digest", "state_digest", "state_bytes"]
        case .intervention: ["id", "time", "stream", "step", "ordinal", "act", "before", "reason", "user"]
        case .stepRecord: ["stream", "step", "digest", "outcome", "reason", "cascade", "effects"]
        case .dispatchID: ["stream", "id", "step", "action_digest"]
        case .run:
            [
                "stream", "step", "ordinal", "root_step", "status", "name", "effect_id", "queue", "cancel_id",
                "attempts", "failures", "restart", "retry", "priority", "delay", "not_before", "started", "ended",
                "error", "delivered", "described", "entry_time", "entry_digest", "version", "sends", "on_restart",
                "on_failure", "on_cancel", "on_orphan", "twin",
            ]
        case .attempt: ["stream", "step", "ordinal", "attempt", "started", "ended", "error"]
        case .remembered: ["stream", "step", "ordinal", "path", "name", "nth", "result"]
        case .queue: ["stream", "key", "policy", "last_start"]
        }
    }

    /// The tables whose row digests a stream combines in `records_digest`.
    static let records: [DigestedTable] = [
        .seed, .snapshot, .stepRecord, .dispatchID, .run, .attempt, .remembered, .queue, .intervention,
    ]

    /// The records that belong to an entry, and are removed with it.
    static let prunedRecords: [DigestedTable] = [.stepRecord, .attempt, .remembered, .run]

    /// The condition of the rows that are records. Snapshots that are only caches are not: they may be deleted.
    var recordCondition: String { self == .snapshot ? "is_base" : "TRUE" }

    /// Rows that an opening restores.
    struct Restored {
        /// The table with the index by which they are found: without it SQLite may find them in another way, and then a
        /// damaged index is not noticed.
        var source: String
        var condition: String
    }

    /// The rows among them that an opening restores, and that `live_digest` combines.
    var restored: [Restored] {
        switch self {
        case .run:
            [Restored(source: Self.liveRuns, condition: EffectRun.Status.isLive("status"))]
        case .remembered:
            // Found by way of the live runs: a stream can have many more of runs that have ended.
            [
                Restored(
                    source: "effect_run AS run INDEXED BY effect_run_open CROSS JOIN effect_step "
                        + "ON \(Self.runOfRemembered)",
                    condition: EffectRun.Status.isLive("run.status"))
            ]
        case .stepRecord:
            StepRecord.Outcome.notReduced.map {
                Restored(source: "step_record INDEXED BY step_\($0.rawValue)", condition: "outcome = '\($0.rawValue)'")
            }
        case .queue, .seed: [Restored(source: rawValue, condition: "TRUE")]
        case .snapshot: [Restored(source: "snapshot INDEXED BY snapshot_base", condition: "is_base")]
        default: []
        }
    }

    private static let runOfRemembered =
        "run.stream = effect_step.stream AND run.step = effect_step.step AND run.ordinal = effect_step.ordinal"

    /// The condition that a row of the table is one of these; for a table without any FALSE.
    var restoredCondition: String {
        if self == .remembered {
            let isLive = EffectRun.Status.isLive("run.status")
            return "EXISTS (SELECT 1 FROM effect_run AS run WHERE \(Self.runOfRemembered) AND \(isLive))"
        }
        let conditions = restored.map(\.condition)
        return conditions.isEmpty ? "FALSE" : "(\(conditions.joined(separator: " OR ")))"
    }

    /// The live runs, with their index.
    static let liveRuns = "effect_run INDEXED BY effect_run_open"

    /// The failed runs, with theirs.
    static let failedRuns = "effect_run INDEXED BY effect_run_failed"

    /// The SQL expression of a row's digest.
    ///
    /// - Parameter values: the expressions of columns that get a new value; the others keep the row's value.
    func digest(_ values: [String: String] = [:]) -> String {
        "row_digest('\(rawValue)', \(columns.map { values[$0] ?? $0 }.joined(separator: ", ")))"
    }

    /// The SQL expression that is 1 if the stored digest is that of the row.
    var check: String {
        guard self == .snapshot else { return "row_digest IS \(digest())" }
        // 2 if only `is_base` differs: a reader must know whether it was a base.
        return """
            CASE row_digest WHEN \(digest()) THEN 1 WHEN \(digest(["is_base": "1 - is_base"])) THEN 2 ELSE 0 END
            """
    }

    /// The beginning of a SELECT of whole rows: ``columns``, ``check``, and what the digest does not cover.
    var select: String { select(from: rawValue) }

    /// The same for the live runs.
    static let selectLiveRuns = DigestedTable.run.select(from: DigestedTable.liveRuns)

    /// - Parameter table: the table, perhaps with the index to search it by.
    func select(from table: String) -> String {
        "SELECT \(columns.joined(separator: ", ")), \(check)\(self == .snapshot ? ", state" : "") FROM \(table)"
    }

    /// An INSERT of a whole row whose parameters are numbered like ``columns``, with the digest.
    var insert: String { insert() }

    /// An INSERT of a whole row.
    ///
    /// - Parameter more: further columns, which the digest does not cover, with the expressions of their values.
    func insert(_ more: [(column: String, value: String)] = []) -> String {
        let parameters = columns.indices.map { "?\($0 + 1)" }
        let digest = digest(Dictionary(uniqueKeysWithValues: zip(columns, parameters)))
        let names = columns + ["row_digest"] + more.map(\.column)
        let values = parameters + [digest] + more.map(\.value)
        return "INSERT INTO \(rawValue) (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
    }

    /// An INSERT that replaces the row with the same key as a whole.
    func upsert(key: [String]) -> String {
        let set = (columns.filter { !key.contains($0) } + ["row_digest"]).map { "\($0) = excluded.\($0)" }
        return "\(insert) ON CONFLICT (\(key.joined(separator: ", "))) DO UPDATE SET \(set.joined(separator: ", "))"
    }

    /// An UPDATE that sets columns and the digest of the whole row.
    func update(_ values: [String: String], where condition: String) -> String {
        let all = values.merging(["row_digest": digest(values)]) { $1 }
        let set = all.sorted { $0.key < $1.key }.map { "\($0.key) = \($0.value)" }.joined(separator: ", ")
        return "UPDATE \(rawValue) SET \(set) WHERE \(condition)"
    }

    /// The same for rows whose digest is right: otherwise the new one would hide damage to the other columns.
    func updateSound(_ values: [String: String], where condition: String) -> String {
        update(values, where: "\(condition) AND \(check)")
    }
}

extension EffectRun.Status {
    /// The condition that a run has not ended, as the schema's index on such runs has it.
    static func isLive(_ column: String) -> String { isAny(allCases.filter { !$0.isFinal }, column) }

    /// The condition that a run has ended.
    static func isFinal(_ column: String) -> String { isAny(allCases.filter(\.isFinal), column) }

    /// The condition that a run has failed or was cancelled.
    static func isBroken(_ column: String) -> String {
        isAny(allCases.filter { $0 == .failed || $0.wasCancelled }, column)
    }

    private static func isAny(_ statuses: [Self], _ column: String) -> String {
        "(" + statuses.map { "\(column) = '\($0.rawValue)'" }.joined(separator: " OR ") + ")"
    }
}
