import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `export and import` {
    @Test func `leave other files alone, and only one of two processes creates a file`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20_000)
        let notes = ["out.jsonl-partial", "copy.db-partial", "copy.db-draft"]
        for name in notes {
            try "my notes".write(toFile: fixture.path(name), atomically: true, encoding: .utf8)
        }
        let (text, copy) = (fixture.path("out.jsonl"), fixture.path("copy.db"))
        async let first = Tool.run("export", path, text)
        async let second = Tool.run("export", path, text)
        async let third = Tool.run("backup", "--detach", path, copy)
        async let fourth = Tool.run("backup", "--detach", path, copy)
        // One of the two creates the file; the other finds that it exists.
        #expect(try await [first.status, second.status].sorted() == [0, 1])
        #expect(try await [third.status, fourth.status].sorted() == [0, 1])
        #expect(try await Tool.run("import", text, fixture.path("again.db")).status == 0)
        #expect(try await Tool.run("verify", copy).status == 0)
        for name in notes { #expect(try String(contentsOfFile: fixture.path(name), encoding: .utf8) == "my notes") }
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(files.filter { $0.hasSuffix("-partial") || $0.hasSuffix("-draft") }.sorted() == notes.sorted())
    }

    @Test func `export snapshots in the order of their streams and steps, not in that in which they were taken`()
        async throws
    {
        let fixture = try Fixture()
        let journal = try fixture.open()
        var streams: [JournalStream] = []
        for name in ["a", "b"] { streams.append(try await journal.openStream(name, machine: "m")) }
        for stream in streams.reversed() {
            try await stream.append("1")
            try await stream.saveSnapshot("{}", at: 1)
        }
        try await journal.close()
        let result = try await Tool.run("export", fixture.path("shop.db"))
        let rows = try objects(result.output).compactMap { $0["snapshot"] as? [String: Any] }
        #expect(rows.map { [$0["stream"] as? Int, $0["step"] as? Int] } == [[1, 1], [2, 1]])
    }

    @Test func `make the list of openings anew, also if it is damaged`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute("UPDATE opening SET process = process + 1", in: shop)
        let (text, copy) = (fixture.path("a.jsonl"), fixture.path("copy.db"))
        #expect(try await Tool.run("verify", shop).status == 65)
        #expect(try await Tool.run("export", shop, text).status == 0)
        #expect(try await Tool.run("import", text, copy).status == 0)
        #expect(try await Tool.run("verify", copy).status == 0)
    }

    @Test func `leave a damaged snapshot out, as a backup does, say so, and do not count it`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute(#"UPDATE snapshot SET state = '{"total":4}'"#, in: shop)
        let (text, copy, again) = (fixture.path("a.jsonl"), fixture.path("copy.db"), fixture.path("b.jsonl"))
        func rows(_ result: Tool.Result) throws -> Int? { try objects(result.output).first?["rows"] as? Int }
        let written = try #require(try rows(try await Tool.run("export", shop, text, "--json")))
        let read = try await Tool.run("import", text, copy, "--json")
        let warning = "Warning: 1 damaged snapshot was left out. Nothing is lost: the states can be computed again.\n"
        #expect(read.error == warning)
        #expect(try rows(read) == written - 1)
        #expect(try rows(try await Tool.run("export", copy, again, "--json")) == written - 1)
        let backup = try await Tool.run("backup", shop, fixture.path("backup.db"))
        #expect(backup.status == 0)
        #expect(backup.error == warning)
    }

    @Test func `tell after the export that an import will refuse it, and where the journal is damaged`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        try fixture.execute(
            """
            UPDATE entry SET time = time + 1
            WHERE step = 1 AND stream = (SELECT id FROM stream WHERE name = 'cart-1')
            """, in: shop)
        let (text, other, copy) = (fixture.path("a.jsonl"), fixture.path("b.jsonl"), fixture.path("copy.db"))
        let error =
            "Error: \(shop), stream 'cart-1', step 1: The export is complete, but the journal is damaged (the digest "
            + "does not match"
        let written = try await Tool.run("export", shop, text)
        #expect(written.status == 65)
        #expect(written.output.hasPrefix("Exported to \(text): "), "\(written.output)")
        #expect(written.error.contains(error), "\(written.error)")
        #expect(written.error.hasSuffix("[corrupt]\n"), "\(written.error)")
        let piped = try await Tool.run("export", shop)
        #expect(piped.status == 65)
        #expect(piped.error.contains(error), "\(piped.error)")
        #expect(try String(contentsOfFile: text, encoding: .utf8) == piped.output)
        let json = try await Tool.run("export", "--json", shop, other)
        #expect(json.status == 65)
        #expect(try objects(json.output).first?["to"] as? String == other)
        #expect(try await Tool.run("import", text, copy).status == 65)
    }

    @Test func `mend a damaged index, and the error of the export does not deny it`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        try fixture.damage("entry_by_step", in: path)
        let (text, copy) = (fixture.path("a.jsonl"), fixture.path("copy.db"))
        let written = try await Tool.run("export", path, text)
        #expect(written.status == 65)
        #expect(
            written.error.contains("`import` refuses it, unless only an index is damaged: an import makes new ones."),
            "\(written.error)")
        #expect(try await Tool.run("import", text, copy).status == 0)
        #expect(try await Tool.run("verify", copy).status == 0)
    }

    @Test(arguments: ["CREATE VIEW mine AS SELECT * FROM entry", "DROP VIEW journal"])
    func `leave the schema behind, so that an import mends it`(_ change: String) async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3)
        try fixture.execute(change, in: path)
        let (text, copy) = (fixture.path("journal.jsonl"), fixture.path("copy.db"))
        #expect(try await Tool.run("verify", path).status == 65)
        let written = try await Tool.run("export", path, text)
        #expect(written.status == 0, "\(written.error)")
        #expect(try await Tool.run("import", text, copy).status == 0)
        #expect(try await Tool.run("verify", copy).status == 0)
    }

    @Test func `export what is left if acknowledged entries are missing, with a warning: an import accepts it`()
        async throws
    {
        let fixture = try Fixture()
        let path = try await fixture.journalWithLostEntries()
        let (text, copy) = (fixture.path("a.jsonl"), fixture.path("copy.db"))
        let written = try await Tool.run("export", path, text)
        #expect(written.status == 0)
        #expect(written.error.hasPrefix("Warning: \(path): "), "\(written.error)")
        #expect(written.error.contains("acknowledged"), "\(written.error)")
        #expect(!written.error.contains("import"), "\(written.error)")
        #expect(try await Tool.run("import", text, copy).status == 0)
    }

    @Test func `restore the same journal, which exports to the same text`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let (text, copy, again) = (fixture.path("a.jsonl"), fixture.path("copy.db"), fixture.path("b.jsonl"))
        let written = try await Tool.run("export", shop, text)
        #expect(written.status == 0)
        #expect(written.error == "")
        #expect(written.output.hasPrefix("Exported to \(text): 3 streams, 6 entries, "))
        #expect(written.output.hasSuffix(" of text.\n"))
        let read = try await Tool.run("import", text, copy)
        #expect(read.status == 0)
        #expect(read.error == "")
        #expect(read.output.hasPrefix("Imported to \(copy): 3 streams, 6 entries, "))
        #expect(read.output.hasSuffix(" of text, verified.\n"))
        #expect(try await Tool.run("verify", copy).status == 0)
        for command in ["log", "effects", "streams"] {
            #expect(try await Tool.run(command, "--json", copy) == Tool.run(command, "--json", shop))
        }
        _ = try await Tool.run("export", copy, again)
        #expect(FileManager.default.contentsEqual(atPath: text, andPath: again))
        let files = try FileManager.default.contentsOfDirectory(atPath: fixture.folder)
        #expect(files.allSatisfy { !$0.hasSuffix("-partial") })
    }

    @Test func `work through a pipe`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 3_000)
        let result = try await Tool.shell(
            #""$0" export "$1" | "$0" import --json - "$2""#, path, fixture.path("copy.db"))
        #expect(result.status == 0)
        let object = try #require(try objects(result.output).first)
        #expect(try keys(ofFirstLine: result.output) == Command.import.keys.map(\.name))
        #expect(object["from"] is NSNull)
        #expect(object["to"] as? String == fixture.path("copy.db"))
        #expect(object["entries"] as? Int == 3_000)
        #expect(try await Tool.run("log", path).output == Tool.run("log", fixture.path("copy.db")).output)
    }

    @Test func `write one JSON object with the keys that their help lists`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let text = fixture.path("a.jsonl")
        let result = try await Tool.run("export", "--json", shop, text)
        let object = try #require(try objects(result.output).first)
        #expect(try keys(ofFirstLine: result.output) == Command.export.keys.map(\.name))
        #expect(object["from"] as? String == shop)
        #expect(object["to"] as? String == text)
        #expect(object["streams"] as? Int == 3)
        #expect(object["textBytes"] as? Int == (try FileManager.default.attributesOfItem(atPath: text)[.size] as? Int))
        #expect(
            (try String(contentsOfFile: text, encoding: .utf8)).split(separator: "\n").count
                == (object["rows"] as? Int ?? 0) + 2)
    }

    @Test func `write standard JSON without control characters for a terminal`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let result = try await Tool.run("export", shop)
        #expect(result.status == 0)
        #expect(result.error == "")
        let rows = try objects(result.output)
        #expect(rows.first?["format"] as? String == "journal-store")
        #expect(rows.first?["version"] as? Int == 1)
        #expect(rows.first?["schema"] as? Int == 1)
        #expect((rows.last?["rows"] as? [String: Int])?["entry"] == 6)
        let entries = rows.compactMap { $0["entry"] as? [String: Any] }
        #expect(entries.last?["action"] as? String == "no\n\u{1B}[2JJSON")
        #expect(entries.map { $0["cause_stream"] is NSNull } == [true, true, true, true, false, true])
        #expect(
            result.output.unicodeScalars.allSatisfy {
                $0 == "\n" || (0x20...0x7E).contains($0.value) || $0.value > 0xA0
            })
        #expect(!result.output.unicodeScalars.contains("\u{202E}"))
    }

    @Test func `end silently when the reader closes the pipe`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 20_000)
        let result = try await Tool.shell(#""$0" export "$1" | head -n 2"#, path)
        #expect(result.status == 0)
        #expect(result.error == "")
        #expect(result.lines.count == 2)
    }

    @Test func `overwrite nothing and create no folder`() async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let text = fixture.path("a.jsonl")
        #expect(try await Tool.run("export", shop, text).status == 0)
        for line in [["export", shop, text], ["import", text, shop]] {
            let result = try await Tool.run(program: Tool.path, line)
            #expect(result.status == 1)
            #expect(result.output == "")
            #expect(result.error.hasPrefix("Error: \(line[2]): This path already exists"))
        }
        #expect(try await Tool.run("export", shop, fixture.path("none/a")).status == 66)
        #expect(try await Tool.run("import", text, fixture.path("none/a")).status == 66)
        #expect(!FileManager.default.fileExists(atPath: fixture.path("none")))
    }

    @Test(arguments: [
        ("head -n 5", 65, "The export is cut off after line 5: its last line is missing."),
        ("head -c 1000", 65, "is not valid JSON of an export."),
        (
            #"sed '1s/"version":1/"version":7/'"#, 65,
            "The export has format version 7, this library knows 1. Update this program."
        ),
        (#"sed '1s/"schema":1/"schema":7/'"#, 65, "schema version 7, this library knows 1. Update this program."),
        (#"sed 's/"entry":{/"entri":{/'"#, 65, "Line 6 names a table 'entri', which an export does not have."),
        (
            #"sed 's/\\"price\\":3/\\"price\\":0/'"#, 65,
            "The copy is not sound (stream 'cart-1', step 1: the digest does not match"
        ),
        (#"sed '$ s/"seed":0,//'"#, 65, " does not say how many rows the table 'seed' has."),
        ("tail -n 3", 65, "This is not an export of a journal. Import what `journal-replay export` wrote."),
        ("cat > /dev/null && :", 65, "The export is empty."),
    ])
    func `create no journal from text that was cut off or changed`(change: String, status: Int32, sentence: String)
        async throws
    {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        let (text, copy) = (fixture.path("a.jsonl"), fixture.path("copy.db"))
        _ = try await Tool.shell(#""$0" export "$1" | ( "# + change + #" ) > "$2""#, shop, text)
        let result = try await Tool.run("import", text, copy)
        #expect(result.status == status)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: \(text): "))
        #expect(result.error.contains(sentence), "\(result.error)")
        #expect(result.error.split(separator: "\n").count == 1)
        #expect(try !FileManager.default.contentsOfDirectory(atPath: fixture.folder).contains { $0.hasPrefix("copy") })
        let piped = try await Tool.shell(#""$0" import - "$2" < "$1""#, text, copy)
        #expect(piped.status == status)
        #expect(piped.error.contains(sentence))
    }

    @Test func `report an input that cannot be read, and create no journal`() async throws {
        let fixture = try Fixture()
        let result = try await Tool.shell(#""$0" import - "$1" < /"#, fixture.path("copy.db"))
        #expect(result.status == 74)
        #expect(result.error.hasPrefix("Error: The input cannot be read ("), "\(result.error)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).isEmpty)
    }

    @Test func `report a missing file or argument`() async throws {
        let fixture = try Fixture()
        let result = try await Tool.run("import", fixture.path("none"), fixture.path("a.db"))
        #expect(result.status == 66)
        #expect(
            result.error.hasPrefix(
                "Error: \(fixture.path("none")): The file cannot be opened (No such file or directory)."))
        let folder = try await Tool.run("import", fixture.folder, fixture.path("a.db"))
        #expect(folder.status == 66)
        #expect(try await Tool.run("import", fixture.path("none")).error.hasPrefix("Error: OUT is missing."))
        #expect(try await Tool.run("export", fixture.path("none.db")).status == 66)
    }
}
