internal import CJournalSQLite
import Foundation
import JournalStore

/// Puts odd values into each column of a journal, with digests that fit, and uses the journal in every way: each call
/// returns or throws, and what an opening refuses as damaged is not sound.
package struct RowFuzz {
    package struct Result: Sendable {
        package var mutants = 0
        package var refused = 0
        package var problems: [String] = []

        package init() {}
    }

    struct Mutant {
        var table: String
        var column: String
        var value: String
        /// The condition of the rows that get the value.
        var rows = "TRUE"
    }

    static let values = [
        "-9223372036854775808", "-9007199254740993", "-1", "0", "1", "2147483648", "4611686018427387904",
        "9007199254740993", "9223372036854775806", "9223372036854775807", "NULL", "''", "'1'", "'completed'",
        "'\u{1b}[31m'", "CAST(x'61FF00' AS TEXT)", "'[[[['", "'{\"a\":1e999}'", "x''", "zeroblob(16)", "zeroblob(17)",
    ]

    private let folder: TemporaryFolder
    private let original: String
    let mutants: [Mutant]
    package var count: Int { mutants.count }
    /// The journals whose JSON has a number at the end of its range.
    package let numbers: Range<Int>

    package init() async throws {
        folder = try TemporaryFolder()
        original = folder.path("original.db")
        try await Rich.make(killed: folder.path("killed.db"), closed: original)
        let columns = try Self.rows(
            """
            SELECT m.name, c.name FROM sqlite_schema AS m, pragma_table_info(m.name) AS c
            WHERE m.type = 'table' AND c.name NOT IN ('row_digest', 'records_digest', 'state_digest')
            """, original)
        let others: [Mutant] = columns.flatMap { column in
            Self.values.flatMap { value -> [Mutant] in
                let newest = "\(column[1]) = (SELECT max(\(column[1])) FROM \(column[0]))"
                return [newest, "TRUE"].map { rows in
                    Mutant(table: column[0], column: column[1], value: value, rows: rows)
                }
            }
        }
        mutants = try others + Self.numberMutants(original)
        numbers = others.count..<mutants.count
    }

    /// Replaces numbers in the JSON that the library writes.
    private static func numberMutants(_ path: String) throws -> [Mutant] {
        let suspects = #"{"first":{"ordinal":0,"step":35},"last":{"ordinal":0,"step":36}}"#
        let crashLoop = #"{"began":1,"longest":1,"openings":5,"suspects":\#(suspects),"suspicions":3}"#
        var mutants = texts(crashLoop).map { Mutant(table: "stream", column: "crash_loop", value: $0) }
        for (table, column) in [("effect_queue", "policy"), ("effect_run", "retry"), ("effect_run", "described")] {
            for row in try rows("SELECT DISTINCT \(column) FROM \(table) WHERE \(column) IS NOT NULL", path) {
                mutants += texts(row[0]).map {
                    Mutant(table: table, column: column, value: $0, rows: "\(column) = \(quoted(row[0]))")
                }
            }
        }
        return mutants
    }

    /// A JSON text with each of its numbers replaced, and with all of them, as values in SQL.
    private static func texts(_ json: String) -> [String] {
        let numbers = json.split { !$0.isNumber }
        return ["\(Int64.min)", "\(Int64.max)"].flatMap { limit -> [String] in
            let each = numbers.map { String(json[..<$0.startIndex]) + limit + String(json[$0.endIndex...]) }
            var all = ""
            var end = json.startIndex
            for number in numbers {
                all += String(json[end..<number.startIndex]) + limit
                end = number.endIndex
            }
            return (each + [all + String(json[end...])]).map { quoted($0) }
        }
    }

    private static func quoted(_ text: String) -> String {
        "'\(text.replacingOccurrences(of: "'", with: "''"))'"
    }

    /// Makes one of the journals, without a sidecar, which would notice another history.
    ///
    /// - Returns: what is in it; nil if the value does not fit the column.
    package func make(_ index: Int, at copy: String) throws -> String? {
        let mutant = mutants[index]
        try FileManager.default.copyItem(atPath: original, toPath: copy)
        // The types of a STRICT table cannot be ignored.
        guard
            Self.execute(
                """
                PRAGMA ignore_check_constraints = ON;
                UPDATE OR IGNORE \(mutant.table) SET \(mutant.column) = \(mutant.value) WHERE \(mutant.rows)
                """, copy)
        else { return nil }
        try? RowDigests.renew(at: copy, withEntries: true)
        return "\(mutant.table).\(mutant.column) = \(mutant.value)"
    }

    package func run(_ index: Int, _ result: inout Result) async throws {
        let copy = folder.path("mutant-\(index).db")
        defer {
            for suffix in ["", "-wal", "-shm", "-lock"] { try? FileManager.default.removeItem(atPath: copy + suffix) }
        }
        guard let what = try make(index, at: copy) else { return }
        result.mutants += 1
        let isSound = await use(copy)
        let refusal = await open(copy)
        guard let refusal else { return }
        result.refused += 1
        if isSound, !Self.concernsMachine(refusal) {
            result.problems.append(
                "\(what): `verify` says that it is sound, an opening says: \(refusal)"
            )
        }
    }

    /// Whether the error is about the machine's code, which `verify` does not have.
    private static func concernsMachine(_ error: JournalError) -> Bool {
        [.newerMachine, .noUpcaster, .notDecodable, .otherMachine].contains(error.code)
    }

    // MARK: Using it

    /// Reads in every way.
    ///
    /// - Returns: whether a verification finds the journal sound.
    private func use(_ path: String) async -> Bool {
        var isSound = false
        do {
            let reader = try JournalReader(path: path)
            isSound = (try? reader.verify().isSound) ?? false
            _ = try? reader.missingEntries()
            _ = try? reader.statistics()
            _ = try? reader.entries(after: 0, limit: 1_000)
            _ = try? reader.lastStep(in: "rich", atOrBefore: Timestamp(microseconds: .max))
            for stream in (try? reader.streams()) ?? [] {
                let name = stream.name
                _ = try? reader.entries(in: name, limit: 1_000)
                _ = try? reader.entries(in: name, limit: 1_000, direction: .backwards).map { "\($0.time)" }
                _ = try? reader.entries(causedBy: 3, in: name, limit: 100)
                for run in (try? reader.effectRuns(in: name)) ?? [] {
                    _ = try? reader.attempts(of: name, step: run.step, ordinal: run.ordinal)
                    _ = try? reader.remembered(of: name, step: run.step, ordinal: run.ordinal)
                    _ = (run.retry, run.effectID, run.queue, run.notBefore?.description, run.started?.description)
                }
                _ = try? reader.interventions(in: name).map { "\($0.time)" }
                _ = try? reader.snapshotSteps(in: name)
                for step in [0, 12, 30, 50] { _ = try? reader.snapshot(in: name, atOrBefore: step) }
                _ = try? reader.prunePlan(in: name, before: 35)
                _ = try? await reader.fork(name, at: 30, to: path + "-fork")
                try? FileManager.default.removeItem(atPath: path + "-fork")
            }
            _ = try? await reader.backup(to: path + "-copy", detached: true)
            try? FileManager.default.removeItem(atPath: path + "-copy")
            var text: [UInt8] = []
            _ = try? reader.export { text += $0 }
            var pieces = [text][...]
            _ = try? Journal.importing(to: path + "-import") { pieces.popFirst() }
            try? FileManager.default.removeItem(atPath: path + "-import")
            let replayer = try Replayer(Rich.machine, environment: Rich.Arrivals(), reader: reader, stream: "rich")
            _ = try? replayer.verify()
            _ = try? replayer.steps(1...60)
            _ = try? replayer.state(at: 30)
            var cursor = try replayer.cursor(at: 30)
            _ = try? cursor.back()
        } catch {}
        return isSound
    }

    /// Opens the journal and its stream, and uses them.
    ///
    /// - Returns: the error of the opening.
    private func open(_ path: String) async -> JournalError? {
        var options = Journal.Options()
        options.durability = .normal
        let journal: Journal
        do throws(JournalError) { journal = try Journal(path: path, options: options) } catch { return error }
        var refusal: JournalError?
        do throws(JournalError) {
            var opening = OpenOptions()
            opening.restart = .ask
            let store = try await journal.open(
                Rich.machine, stream: "rich", environment: Rich.Arrivals(), options: opening)
            _ = try? await store.dispatch(.add(3), id: "add-3")
            _ = try? await store.dispatch(.tell(3))
            for run in (try? await store.liveRuns()) ?? [] { try? await store.cancel(run.key) }
            try? await store.close()
            _ = try? await journal.prune("rich", before: 40)
            try? await journal.skip(50, in: "rich")
            _ = try? await journal.retry(RunKey(step: 35), in: "rich")
        } catch {
            refusal = error
        }
        try? await journal.close()
        return refusal
    }

    // MARK: SQL

    static func execute(_ sql: String, _ path: String) -> Bool {
        var handle: OpaquePointer?
        defer { sqlite3_close_v2(handle) }
        return sqlite3_open(path, &handle) == SQLITE_OK && sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    }

    static func rows(_ sql: String, _ path: String) throws -> [[String]] {
        var handle: OpaquePointer?
        var statement: OpaquePointer?
        defer {
            sqlite3_finalize(statement)
            sqlite3_close_v2(handle)
        }
        guard sqlite3_open(path, &handle) == SQLITE_OK,
            sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK
        else { return [] }
        var rows: [[String]] = []
        while sqlite3_step(statement) == SQLITE_ROW {
            rows.append(
                (0..<sqlite3_column_count(statement)).map { String(cString: sqlite3_column_text(statement, $0)) })
        }
        return rows
    }
}
