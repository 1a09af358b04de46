import Foundation
import JournalStore
import Testing

@testable import JournalReplayKit

@Suite struct `backup` {
    @Test func `copies a journal while it is written`() async throws {
        let fixture = try Fixture()
        let journal = try fixture.open()
        let stream = try await journal.openStream("cart", machine: "cart")
        try await stream.append("1")
        let copy = fixture.path("copy.db")
        let result = try await Tool.run("backup", fixture.path("shop.db"), copy)
        #expect(result.status == 0)
        #expect(result.output.hasPrefix("Copied to \(copy): "))
        #expect(result.output.hasSuffix(" bytes), verified.\n"))
        try await stream.append("2")
        #expect(
            try await Tool.run("verify", copy).output == "Sound: 1 stream, 1 entry, 0 snapshots.\n\(Tool.notReplayed)\n"
        )
        try await journal.close()
    }

    @Test func `writes one JSON object with the keys that its help lists`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 10)
        let copy = fixture.path("copy.db")
        let result = try await Tool.run("backup", path, copy, "--json")
        let object = try #require(try objects(result.output).first)
        #expect(try keys(ofFirstLine: result.output) == Command.backup.keys.map(\.name))
        #expect(object["file"] as? String == path)
        #expect(object["copy"] as? String == copy)
        #expect(object["bytes"] as? Int == (try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Int))
    }

    @Test func `overwrites nothing`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let other = fixture.path("other.txt")
        try "mine".write(toFile: other, atomically: true, encoding: .utf8)
        let result = try await Tool.run("backup", path, other)
        #expect(result.status == 1)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("Error: \(other): This path already exists"))
        #expect(try String(contentsOfFile: other, encoding: .utf8) == "mine")
    }

    @Test(arguments: ["backup", "fork --at=1", "export", "import", "page --out"])
    func `names the new file if it cannot be created or written`(command: String) async throws {
        let fixture = try Fixture()
        var path = try await fixture.counter(entries: 2_000)
        if command == "import" {
            let text = fixture.path("a.jsonl")
            #expect(try await Tool.run("export", path, text).status == 0)
            path = text
        }
        let words = command.split(separator: " ").map(String.init)
        let long = fixture.path(String(repeating: "x", count: 250))
        let result = try await Tool.run(program: Tool.path, [words[0], path] + words.dropFirst() + [long])
        #expect(result.status == 66)
        let isJournal = !["export", "page"].contains(words[0])
        let reason = isJournal ? "The path is too long: it has " : "The file cannot be created ("
        #expect(result.error.hasPrefix("Error: \(long): \(reason)"), "\(result)")
        let copy = fixture.path("copy.db")
        let options = words.dropFirst().joined(separator: " ")
        let line = "ulimit -f 100; \"$0\" \(words[0]) \"$1\" \(options) \"$2\""
        let limited = try await Tool.shell(line, path, copy)
        #expect(limited.status == 74)
        #expect(limited.error.hasPrefix("Error: \(copy): "), "\(limited)")
        #expect(!limited.error.contains("open the journal again"), "\(limited)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.folder).allSatisfy { !$0.contains("copy") })
    }

    @Test func `creates no folder`() async throws {
        let fixture = try Fixture()
        let path = try await fixture.counter(entries: 1)
        let result = try await Tool.run("backup", path, fixture.path("none/copy.db"))
        #expect(result.status == 66)
        #expect(!FileManager.default.fileExists(atPath: fixture.path("none")))
    }
}
