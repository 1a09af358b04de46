import Foundation
import Testing

@testable import JournalReplayKit

@Suite struct `A file that cannot be used` {
    /// All commands that read a journal and need no terminal.
    private static let commands = CommandTable.tool.commands.map(\.name)
        .filter { !["help", "import", "walk"].contains($0) }

    private static func words(behind path: String) -> [String: [String]] {
        [
            "backup": [path + "-copy"], "page": ["-o", path + ".html"], "fork": [path + "-copy", "--at", "1"],
            "show": ["1"], "diff": ["0", "1"],
            "bisect": ["--where", "a == 1"], "bisect run": ["true"], "effects show": ["1.0"], "cancel": ["1.0"],
            "retry": ["1.0"], "release": ["1.0"], "skip": ["1"], "prune": ["--before", "1"], "find": ["key"],
        ]
    }

    private func run(_ command: String, _ path: String) async throws -> Tool.Result {
        let words = command.split(separator: " ").map(String.init) + [path] + (Self.words(behind: path)[command] ?? [])
        let result = try await Tool.run(program: Tool.path, words)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: \(path)"))
        #expect(result.error.split(separator: "\n").count == 1)
        return result
    }

    @Test(arguments: commands) func `is missing`(command: String) async throws {
        let fixture = try Fixture()
        let result = try await run(command, fixture.path("none.db"))
        #expect(result.status == 66)
        #expect(result.error.contains("No such file or directory"))
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder) == [])
    }

    @Test(arguments: commands) func `is in a missing folder`(command: String) async throws {
        #expect(try await run(command, Fixture().path("none/none.db")).status == 66)
    }

    @Test(arguments: commands) func `is a folder`(command: String) async throws {
        let fixture = try Fixture()
        let result = try await run(command, fixture.folder)
        #expect(result.status == 66)
        #expect(result.error.contains("This is a folder."))
    }

    @Test(arguments: commands) func `is not a database`(command: String) async throws {
        let fixture = try Fixture()
        let path = fixture.path("notes.txt")
        try String(repeating: "Nothing to see here. ", count: 400).write(
            toFile: path, atomically: true, encoding: .utf8)
        let result = try await run(command, path)
        #expect(result.status == 65)
        #expect(result.error.contains("This is not an SQLite database"))
    }

    @Test(arguments: commands) func `is empty`(command: String) async throws {
        let fixture = try Fixture()
        let path = fixture.path("empty.db")
        try Data().write(to: URL(fileURLWithPath: path))
        let result = try await run(command, path)
        #expect(result.status == 65)
        #expect(result.error.contains("There is no journal in this file yet."))
        #expect(result.error.contains("If it should hold one, it was truncated or replaced: restore a backup."))
    }

    @Test(arguments: ["-wal", "-shm", "-journal", "-lock"]) func `lies beside a journal`(end: String) async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        for bytes in [Data(), Data("not a database".utf8)] {
            try bytes.write(to: URL(fileURLWithPath: path + end))
            let result = try await Tool.run("info", path + end)
            #expect(result.status == 65)
            #expect(
                result.error == "Error: \(path)\(end): This is a file beside a journal: its name ends with '\(end)'. "
                    + "Name the journal, '\(path)'. [not-a-journal]\n")
        }
    }

    @Test func `has the name of a file beside a journal, which is not there`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1, "counter.db-lock")
        #expect(try await Tool.run("info", path).status == 0)
    }

    @Test(arguments: commands) func `is another application's database`(command: String) async throws {
        let fixture = try Fixture()
        let path = fixture.path("other.db")
        try fixture.execute("PRAGMA application_id = 42; CREATE TABLE note (text)", in: path)
        let result = try await run(command, path)
        #expect(result.status == 65)
        #expect(result.error.contains("This database belongs to another application (application_id 42)."))
    }

    @Test func `is a database without an application ID`() async throws {
        let fixture = try Fixture()
        let path = fixture.path("plain.db")
        try fixture.execute("CREATE TABLE note (text)", in: path)
        for command in ["info", "verify"] {
            let result = try await run(command, path)
            #expect(result.status == 65)
            #expect(
                result.error.contains("This is an SQLite database, but not a journal (its application_id is 0)."))
        }
    }

    @Test(arguments: commands) func `was made by a newer version`(command: String) async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        try fixture.execute("PRAGMA user_version = 99", in: path)
        let result = try await run(command, path)
        #expect(result.status == 65)
        #expect(result.error.contains("its schema has version 99"))
    }

    @Test func `is damaged in its entries`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 2_000)
        try fixture.damage("entry", in: path)
        for options in [["log"], ["log", "-n", "5"], ["log", "--stream", "counter"]] {
            let result = try await Tool.run(program: Tool.path, options + [path])
            #expect(result.status == 65)
            #expect(result.error.hasPrefix("Error: \(path)"))
            #expect(result.error.contains("The database is damaged"))
        }
        #expect(try await Tool.run("backup", path, path + "-copy").status == 65)
        #expect(!FileManager.default.fileExists(atPath: path + "-copy"))
    }

    @Test(
        arguments: CommandTable.tool.commands.filter { command in
            command.options.contains { $0.name == "stream" } && command.name != "walk"
        }.map(\.name))
    func `has no such stream`(command: String) async throws {
        let fixture = try Fixture()
        let shop = try await fixture.shop()
        func ask(_ stream: String) async throws -> Tool.Result {
            let words = command.split(separator: " ").map(String.init)
            return try await Tool.run(
                program: Tool.path, words + [shop] + (Self.words(behind: shop)[command] ?? []) + ["--stream", stream])
        }
        let result = try await ask("cart1")
        #expect(result.status == 66)
        #expect(result.output == "")
        #expect(
            result.error == "Error: \(shop), stream 'cart1': There is no such stream. Did you mean 'cart-1'? "
                + "`journal-replay streams` lists the existing ones. [unknown-stream]\n")
        let other = try await ask("warehouse")
        #expect(other.error.contains("`journal-replay streams` lists the existing ones."))
    }

    @Test func `has its name escaped in messages`() async throws {
        let result = try await Tool.run("info", "/none\u{1B}[2J/\u{202E}x.db")
        #expect(result.status == 66)
        #expect(result.error.hasPrefix(#"Error: /none\u001b[2J/\u202ex.db"#))
    }
}
