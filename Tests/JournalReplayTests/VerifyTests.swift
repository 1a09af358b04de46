import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `verify` {
    @Test func `reports a sound journal`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("verify", shop)
        #expect(
            result
                == Tool.Result(
                    status: 0, output: "Sound: 3 streams, 6 entries, 1 snapshot.\n\(Tool.notReplayed)\n", error: ""))
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("verify", "--json", shop)
        #expect(try keys(ofFirstLine: result.output) == Command.verify.keys.map(\.name))
        #expect(
            result.output
                == #"{"sound":true,"streams":3,"entries":6,"snapshots":1,"problems":[],"replayed":0,"faithful":0,"orphans":0,"olderSteps":0,"withoutState":0,"unreadable":0,"notReplayed":[]}"#
                + "\n")
    }

    @Test func `names a changed entry and exits with 65`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute(#"UPDATE entry SET action = '"free"' WHERE position = 2"#, in: shop)
        let result = try await Tool.run("verify", shop)
        #expect(result.status == 65)
        #expect(result.error == "")
        #expect(result.lines.first == "Not sound: 1 problem. Read: 3 streams, 6 entries, 1 snapshot.")
        try #require(result.lines.count == 3)
        #expect(result.lines[1].hasPrefix("  stream 'cart-1', step 2: the digest does not match"))
        #expect(
            result.lines[2]
                == "Restore a backup. `log --json` writes the entries that can still be read.")

        let json = try await Tool.run("verify", "--json", shop)
        #expect(json.status == 65)
        let report = try #require(try objects(json.output).first)
        let problems = try #require(report["problems"] as? [[String: Any]])
        #expect(report["sound"] as? Bool == false)
        #expect(problems.map { $0["stream"] as? String } == ["cart-1"])
        #expect(problems.map { $0["step"] as? Int } == [2])
    }

    @Test func `a damaged lock file is no reason to restore a backup`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let lock = shop + "-lock"
        try Data(repeating: 7, count: 4096).write(to: URL(fileURLWithPath: lock))
        let result = try await Tool.run("verify", shop)
        #expect(result.status == 65)
        #expect(
            result.lines == [
                "Not sound: 1 problem. Read: 3 streams, 6 entries, 1 snapshot.",
                "  \(lock) is damaged, or is not the lock file of a journal: it is unknown whether entries are missing. "
                    + "If this is the only problem, rename it to \(lock)-old and open the journal again. "
                    + "That opening cannot notice missing entries.",
            ])
    }

    @Test func `what was added to the schema is to be dropped`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute("CREATE VIEW totals AS SELECT 1", in: shop)
        let result = try await Tool.run("verify", shop)
        #expect(result.status == 65)
        #expect(
            result.lines.dropFirst() == [
                "  the view totals is not part of the schema", "Drop what was added to the schema, in a sqlite3 shell.",
            ])
    }

    @Test func `reports a damaged page and continues`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2_000)
        try fixture.damage("entry_by_step", in: path)
        let result = try await Tool.run("verify", path)
        #expect(result.status == 65)
        #expect(result.lines.first?.hasPrefix("Not sound: ") == true)
        #expect(result.output.contains("\n  stream 'counter': The database is damaged"))
        // Each finding of SQLite has its own line.
        #expect(result.lines.contains { $0.hasPrefix("  SQLite: ") })
        #expect(!result.output.contains(#"\n"#), "\(result.output)")
        #expect(!result.output.contains("***"), "\(result.output)")
    }

    @Test func `does not advise to run verify`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2_000)
        try fixture.damage(pageWith: #"{"add":{"n":1900}}"#, in: path)
        let readable = try await Tool.run("log", "--json", path)
        #expect(readable.status == 65)
        #expect(readable.lines.first?.contains(#"{"add":{"n":1}}"#) == true)
        try fixture.damage("entry", in: path)
        #expect(try await Tool.run("log", path).error.contains("Run `journal-replay verify`"))
        let entries = try await Tool.run("verify", path)
        #expect(entries.lines.last == JournalError.adviceForKnownDamage)
        try fixture.damage("stream", in: path)
        try fixture.damage("migration", in: path)
        let opening = try await Tool.run("verify", path)
        #expect(opening.status == 65)
        #expect(opening.error.contains("The database is damaged, found while "), "\(opening)")
        #expect(
            opening.error.contains("Restore a backup, unless `log --json` still reads it."), "\(opening)"
        )
        for text in [entries.output, entries.error, opening.output, opening.error] {
            #expect(!text.contains("journal-replay verify"), "\(text)")
        }
    }
}
