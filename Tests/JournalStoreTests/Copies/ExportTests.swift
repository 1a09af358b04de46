import Foundation
import JournalTesting
import Testing
import TortureKit

@testable import JournalStore

@Suite struct `An export`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private var text: String { folder.path("a.jsonl") }
    private var copy: String { folder.path("copy.db") }

    /// A journal with a row in every table, and texts that need escapes.
    private func journal() async throws -> Journal {
        let journal = try openJournal(path, clock)
        let stream = try await journal.openStream("a \"\\\u{1}\u{202E}", machine: "m")
        let other = try await journal.openStream("b", machine: "m")
        for action in ["", "no\u{0}JSON", #""\ud800""#, "\"caf\u{E9} \u{1F600}\"", #"{"a":[1,2]}"#] {
            // No new dispatch ID has a NUL.
            try await stream.append(action, id: "id " + action.replacing("\0", with: "\u{1}"))
        }
        var batch = Batch(entries: [
            NewEntry(
                stream: other.id, action: "1", origin: .machine, cause: Cause(stream: stream.id, step: 1),
                cancelID: "\"c\"")
        ])
        batch.steps = [StepRecord(stream: stream.id, step: 1, outcome: .rejected, reason: "no\n")]
        var run = EffectRun(
            stream: stream.id, step: 1, ordinal: 0, rootStep: 1, name: "x", status: .running, attempts: 2,
            described: "{}")
        run.notes = [EffectAttempt(number: 1, started: clock.wallClock(), ended: clock.wallClock(), error: "é")]
        run.entry = Appended.Stamp(time: clock.wallClock(), digest: Digest(of: "x"))
        batch.runs = [run]
        batch.remembered = [
            RememberedStep(stream: stream.id, step: 1, ordinal: 0, path: "", name: "s", use: 1, result: "1")
        ]
        batch.queues = [QueueMemory(stream: stream.id, key: "q", policy: "{}", lastStart: clock.wallClock())]
        batch.interventions = [stream.id: [Intervention(act: .skip, step: 2, time: clock.wallClock())]]
        batch.settled = [stream.id: 5]
        _ = try await journal.commit(batch)
        try await stream.saveSnapshot("{}", at: 5)
        try await stream.saveSnapshot("{}", at: 2)
        return journal
    }

    private var lines: [String] {
        get throws { String(decoding: try bytes(text), as: UTF8.self).split(separator: "\n").map(String.init) }
    }

    @Test func `an export that is imported and exported again is the same, byte for byte`() async throws {
        try await journal().close()
        try Shell(path).change("INSERT INTO seed VALUES (1, 3, randomblob(16), x'')")
        let reader = try JournalReader(path: path)
        let report = try reader.export(to: text)
        #expect(report.streams == 2 && report.entries == 6)
        #expect(try report.bytes == bytes(text).count)
        let imported = try await Journal.importing(text, to: copy)
        #expect(imported == report)
        let made = try JournalReader(path: copy)
        #expect(try made.verify().problems == [])
        func exported(_ lines: [String]) -> [String] {
            lines.filter { !$0.hasPrefix("writer|") && !$0.hasPrefix("opening|") }
        }
        #expect(try exported(made.lines()) == exported(reader.lines()))
        #expect(
            try sql("SELECT hex(journal), epoch FROM writer", copy) == sql("SELECT hex(journal), epoch FROM writer"))
        // An export does not contain the path of the file.
        #expect(try !lines.contains { $0.contains(path) })
        #expect(try sql("SELECT path FROM writer", copy) == [""])
        try made.export(to: folder.path("again.jsonl"))
        #expect(try bytes(folder.path("again.jsonl")) == bytes(text))
        // Each table has a line, so that a new table is not forgotten.
        let tables = try sql(
            "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT IN ('migration', 'opening')")
        for table in tables { #expect(try lines.contains { $0.hasPrefix("{\"\(table)\":{") }, "\(table)") }
        // The imported journal accepts further entries.
        let journal = try openJournal(copy, clock)
        #expect(try await journal.openStream("b", machine: "m").append("2").step == 2)
        try await journal.close()
    }

    @Test func `an export keeps a text that is not UTF-8`() async throws {
        try await journal().close()
        try Shell(path).change("UPDATE effect_run SET error = CAST(x'61FF' AS TEXT)")
        try JournalReader(path: path).export(to: text)
        #expect(try lines.contains { $0.contains(#""error":{"hex":"61ff"}"#) })
        try await Journal.importing(text, to: copy)
        #expect(try sql("SELECT hex(error), typeof(error) FROM effect_run", copy) == ["61FF|text"])
    }

    @Test func `an export leaves out tables that are not the journal's`() async throws {
        try await journal().close()
        try Shell(path)("CREATE TABLE mine (x); INSERT INTO mine VALUES (1.5)")
        try JournalReader(path: path).export(to: text)
        #expect(try !String(decoding: bytes(text), as: UTF8.self).contains("mine"))
        try await Journal.importing(text, to: copy)
    }

    @Test func `an export is consistent while an app writes`() async throws {
        let journal = try await journal()
        let stream = try await journal.openStream("c", machine: "m")
        let writing = Task {
            while !Task.isCancelled { try await stream.append("more") }
        }
        for round in 1...5 {
            let target = folder.path("\(round).jsonl")
            try journal.reader.export(to: target)
            try await Journal.importing(target, to: folder.path("\(round).db"))
        }
        writing.cancel()
        try await writing.value
        try await journal.close()
    }

    @Test func `an export stops with the error that its callback throws`() async throws {
        struct Enough: Error {}
        let journal = try await journal()
        #expect(throws: Enough.self) { try journal.reader.export { _ in throw Enough() } }
        // The reader still works.
        #expect(try journal.reader.streams().count == 2)
        try await journal.close()
        #expect(throws: Enough.self) { try JournalReader(path: path).export { _ in throw Enough() } }
    }

    @Test func `an export throws if an app opens the file meanwhile`() async throws {
        try await journal().close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let reader = try JournalReader(path: path)
        let error = await journalError {
            try reader.export { _ in
                let journal = try Journal(path: path)
                withExtendedLifetime(journal) {}
            }
        }
        #expect(error?.code == .busy)
    }

    /// What it reads then is of two moments, which looks like damage.
    @Test func `an export that finds damage because an app opens the file meanwhile says that`() async throws {
        try await journal().close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        let reader = try JournalReader(path: path)
        let error = await journalError {
            try reader.export { _ in
                withExtendedLifetime(try Journal(path: path)) {}
                throw JournalError(.corrupt, "The database is damaged.")
            }
        }
        #expect(error?.code == .busy)
    }

    @Test func `an export overwrites no file and leaves no partial file`() async throws {
        let journal = try await journal()
        try Data("mine".utf8).write(to: URL(fileURLWithPath: text))
        #expect(await journalError { try journal.reader.export(to: text) }?.code == .destinationExists)
        #expect(try bytes(text) == Data("mine".utf8))
        #expect(await journalError { try journal.reader.export(to: folder.path("no/a")) }?.code == .cannotOpen)
        #expect(await journalError { try Journal.inMemory().reader.export(to: copy) }?.code == .badArgument)
        try await journal.close()
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasSuffix("-partial") })
    }

    @Test func `a path that names no file is refused before anything is written`() async throws {
        let journal = try await journal()
        for path in ["", folder.path("a\u{0}b")] {
            #expect(await journalError { try journal.reader.export(to: path) }?.code == .badArgument)
            #expect(await journalError { try await journal.backup(to: path) }?.code == .badArgument)
        }
        try await journal.close()
        #expect(!FileManager.default.fileExists(atPath: folder.path("a")))
    }

    @Test(arguments: [1, 7, 64, 100_000]) func `an import reads chunks of any size`(size: Int) async throws {
        try await journal().close()
        var all: [UInt8] = []
        try JournalReader(path: path).export { all += $0 }
        var rest = all[...]
        let report = try Journal.importing(to: copy) {
            defer { rest = rest.dropFirst(size) }
            return rest.isEmpty ? nil : Array(rest.prefix(size))
        }
        #expect(report.bytes == all.count)
        var again: [UInt8] = []
        try JournalReader(path: copy).export { again += $0 }
        #expect(again == all)
    }
}

/// A change to the lines of an export, and the error of its import.
struct Edit: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var code = JournalError.Code.damagedExport
    var says: String
    var change: @Sendable (inout [String]) -> Void

    static let all = [
        Edit(testDescription: "nothing", code: .notAnExport, says: "The export is empty.") { $0 = [] },
        Edit(testDescription: "no first line", code: .notAnExport, says: "This is not an export") { $0.removeFirst() },
        Edit(testDescription: "another format", code: .notAnExport, says: "not an export") {
            $0[0] = #"{"format":"x","version":1,"schema":1}"#
        },
        Edit(testDescription: "no JSON at all", code: .notAnExport, says: "not an export") { $0 = ["SQLite format 3"] },
        Edit(testDescription: "a long file without a line", code: .notAnExport, says: "not an export") {
            $0 = [String(repeating: "x", count: 100_000)]
        },
        Edit(testDescription: "a newer format", code: .newerSchema, says: "has format version 2, this library knows 1")
        {
            $0[0] = #"{"format":"journal-store","version":2,"schema":1}"#
        },
        Edit(testDescription: "a newer format with another first line", code: .newerSchema, says: "format version 2") {
            $0[0] = #"{"format":"journal-store","tables":["stream",{"name":"entry"}],"packed":true,"version":2}"#
        },
        Edit(testDescription: "a format version before the first", code: .notAnExport, says: "not an export") {
            $0[0] = #"{"format":"journal-store","version":0,"schema":1}"#
        },
        Edit(testDescription: "a newer schema", code: .newerSchema, says: "schema version 99, this library knows 1") {
            $0[0] = #"{"format":"journal-store","version":1,"schema":99}"#
        },
        Edit(testDescription: "no last line", says: "cut off after line 5") { $0.removeLast() },
        Edit(testDescription: "a line that is cut off", says: "Line 4 is not valid JSON") {
            $0[3] = String($0[3].dropLast(9))
        },
        Edit(testDescription: "a row too few", says: "'entry' has 1 row; line 5 says 2") { $0.remove(at: 4) },
        Edit(testDescription: "a row behind the last line", says: "Line 7 comes after the last line") {
            $0.append($0[3])
        },
        Edit(testDescription: "a row twice", says: "Line 5 cannot be inserted") { $0.insert($0[3], at: 4) },
        Edit(testDescription: "an unknown table", says: "Line 4 names a table 'entries'") {
            $0[3] = $0[3].replacingOccurrences(of: "\"entry\"", with: "\"entries\"")
        },
        Edit(testDescription: "an unknown column", says: "Line 4 has a column 'when'") {
            $0[3] = $0[3].replacingOccurrences(of: "\"time\"", with: "\"when\"")
        },
        Edit(testDescription: "a missing column", says: "Line 4 has no column 'cancel_id'") {
            $0[3] = $0[3].replacingOccurrences(of: #","cancel_id":null"#, with: "")
        },
        Edit(
            testDescription: "a text for a number",
            says: "Line 4: the value of the column 'step' must be a whole number"
        ) {
            $0[3] = $0[3].replacingOccurrences(of: #""step":1"#, with: #""step":"1""#)
        },
        Edit(
            testDescription: "a number for a text",
            says: "Line 4: the value of the column 'action' must be a text"
        ) {
            $0[3] = $0[3].replacingOccurrences(of: #""action":"1""#, with: #""action":1"#)
        },
        Edit(testDescription: "a digest that is none", says: "Line 4: the value of the column 'digest' must be") {
            $0[3] = $0[3].replacingOccurrences(of: #""digest":""#, with: #""digest":"z"#)
        },
        Edit(testDescription: "nothing for what must be there", says: "Line 4 cannot be inserted") {
            $0[3] = $0[3].replacingOccurrences(of: #""step":1"#, with: #""step":null"#)
        },
        Edit(
            testDescription: "an action that was not committed", code: .copyNotVerified,
            says: "step 1: the digest does not match"
        ) {
            $0[3] = $0[3].replacingOccurrences(of: #""action":"1""#, with: #""action":"2""#)
        },
        Edit(testDescription: "very many values", says: "Line 4 has more values than a row") {
            $0[3] = #"{"entry":{"x":["# + String(repeating: "0,", count: 600_000) + "0]}}"
        },
        Edit(testDescription: "a fraction", says: "Line 4 is not valid JSON of an export") {
            $0[3] = $0[3].replacingOccurrences(of: #""step":1"#, with: #""step":1.5"#)
        },
    ]
}

@Suite struct `An import`: AtDesk {
    let desk: Desk

    init() throws { desk = try Desk() }

    private func lines() async throws -> [String] {
        let journal = try openJournal(path, clock)
        try await journal.openStream("a", machine: "m").append(contentsOf: ["1", "2"])
        try await journal.close()
        var all: [UInt8] = []
        try JournalReader(path: path).export { all += $0 }
        return String(decoding: all, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    private func write(_ lines: [String]) throws -> String {
        let text = folder.path("a.jsonl")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: URL(fileURLWithPath: text))
        return text
    }

    @Test(arguments: Edit.all) func `importing a changed export throws and makes no file`(_ edit: Edit) async throws {
        var lines = try await lines()
        #expect(lines.count == 6)
        edit.change(&lines)
        let text = try write(lines)
        let error = await journalError { try await Journal.importing(text, to: folder.path("copy.db")) }
        #expect(error?.code == edit.code)
        #expect(error?.message.contains(edit.says) == true, "\(error?.description ?? "")")
        #expect(error?.file == text)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: folder.path).contains { $0.hasPrefix("copy") })
    }

    @Test func `an import takes a long text with commas and quotes`() async throws {
        let journal = try openJournal(path, clock)
        let action = "\"" + String(repeating: #"a,\\","#, count: 300_000) + "\""
        try await journal.openStream("a", machine: "m").append(action)
        try await journal.close()
        try JournalReader(path: path).export(to: folder.path("a.jsonl"))
        try await Journal.importing(folder.path("a.jsonl"), to: folder.path("copy.db"))
        #expect(try JournalReader(path: folder.path("copy.db")).entries(in: "a").map(\.action) == [action])
    }

    @Test func `an import does not wait for the end of a line that is longer than any row`() throws {
        var rows = Import(into: try JournalDatabase.openDraft(folder.path("draft.db")), at: "draft.db", from: nil)
        rows.longestLine = 10_000
        try rows.take(Array((#"{"format":"journal-store","version":1,"schema":1}"# + "\n").utf8))
        var refusal: JournalError?
        do throws(JournalError) {
            for _ in 0..<3 { try rows.take(Array(repeating: UInt8(ascii: " "), count: 5_000)) }
        } catch {
            refusal = error
        }
        #expect(refusal?.code == .damagedExport)
        #expect(refusal?.message == "Line 2 is longer than any row.")
    }

    @Test func `an import accepts rows in another order, blanks and empty lines`() async throws {
        var lines = try await lines()
        lines.swapAt(3, 4)
        lines[2] =
            "  " + lines[2].replacingOccurrences(of: ":", with: " : ").replacingOccurrences(of: ",", with: " ,\t")
            + "\r"
        lines.insert("", at: 3)
        lines[0] = #"{"schema":1,"made":"by hand","version":1,"format":"journal-store"}"#
        try await Journal.importing(try write(lines), to: folder.path("copy.db"))
        #expect(try JournalReader(path: folder.path("copy.db")).entries(in: "a").map(\.action) == ["1", "2"])
    }

    @Test(arguments: [("\"epoch\":1,", "\"epoch\":2,"), ("\"surplus\":0,", "\"surplus\":1,")])
    func `an export whose line of the writer was changed is not imported`(_ old: String, _ new: String) async throws {
        var changed = 0
        let lines = try await lines().map { line in
            guard line.hasPrefix(#"{"writer":"#), line.contains(old) else { return line }
            changed += 1
            return line.replacingOccurrences(of: old, with: new)
        }
        #expect(changed == 1)
        let copy = folder.path("copy.db")
        let error = await journalError { try await Journal.importing(try write(lines), to: copy) }
        #expect(error?.code == .copyNotVerified)
        #expect(error?.message.contains("a row of the table writer has another digest") == true)
        #expect(!FileManager.default.fileExists(atPath: copy))
    }

    @Test func `an export without the line of the writer is not imported`() async throws {
        let lines = try await lines().filter { !$0.hasPrefix(#"{"writer":"#) }
            .map { $0.replacingOccurrences(of: #""writer":1"#, with: #""writer":0"#) }
        let copy = folder.path("copy.db")
        let error = await journalError { try await Journal.importing(try write(lines), to: copy) }
        #expect(error?.code == .copyNotVerified)
        #expect(error?.message.contains("the row of the last writer is missing") == true)
    }

    @Test func `an export does not make a damaged row of the writer right`() async throws {
        _ = try await lines()
        try Shell(path)("UPDATE writer SET surplus = 5")
        let text = folder.path("damaged.jsonl")
        try JournalReader(path: path).export(to: text)
        let copy = folder.path("copy.db")
        #expect(await journalError { try await Journal.importing(text, to: copy) }?.code == .copyNotVerified)
    }

    @Test func `a journal with the last epoch is imported, and an opening refuses it and writes nothing`() async throws
    {
        _ = try await lines()
        try Shell(path).change("UPDATE writer SET epoch = 1073741824")
        let text = folder.path("last.jsonl")
        try JournalReader(path: path).export(to: text)
        let copy = folder.path("copy.db")
        try await Journal.importing(text, to: copy)
        #expect(try sql("SELECT epoch FROM writer", copy) == ["1073741824"])
        let before = try bytes(copy)
        let error = await journalError { try Journal(path: copy) }
        #expect(error?.code == .corrupt)
        #expect(error?.message.contains("the epoch is the last one") == true)
        #expect(try bytes(copy) == before)
        #expect(try JournalReader(path: copy).entries(in: "a").count == 2)
    }

    @Test func `an import overwrites no file, and throws if a file or folder is missing`() async throws {
        let text = try write(try await lines())
        #expect(await journalError { try await Journal.importing(text, to: path) }?.code == .destinationExists)
        let copy = folder.path("copy.db")
        #expect(await journalError { try await Journal.importing(folder.path("none"), to: copy) }?.code == .cannotOpen)
        #expect(await journalError { try await Journal.importing(folder.path, to: copy) }?.code == .cannotOpen)
        #expect(
            await journalError { try await Journal.importing(text, to: folder.path("no/a.db")) }?.code == .cannotOpen)
    }
}
